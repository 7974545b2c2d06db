// Search over messages: what is found, where it is, and what never is.

import { expect, test } from 'vitest';
import { ask, framesOf, until } from '@continuo/testkit';
import { count, usePod } from '@continuo/testkit/fixtures';
import { createPool } from '../../src/db/pool.ts';
import { doChores } from '../../src/upkeep/chores.ts';
import { newSpace, put, type Space } from '../files/support.ts';

const world = usePod();

interface Hit {
  entity_type: string;
  entity_id: string;
  title: string;
  snippet: string;
  message?: { chat_id: string; role: string; seq: number | null; at: string };
}

/** A chat in which the model answers each message with the given text. */
async function talk(space: Space, title: string, answer: string): Promise<{ chat: string; run: string }> {
  const goal = JSON.stringify({ steps: [{ text: answer }] });
  const { body } = await ask('POST', `${space.url}/chats`, { goal, title, model: 'offline/script' });
  await framesOf(world.url, body.run.id);
  return { chat: body.chat.id, run: body.run.id };
}

async function say(space: Space, chat: string, content: string): Promise<void> {
  const { body } = await ask('POST', `${space.url}/chats/${chat}`, { content, model: 'offline/instant' });
  await framesOf(world.url, body.run.id);
}

async function find(space: Space, query: Record<string, string>): Promise<Hit[]> {
  const { status, body } = await ask('GET', `${space.url}/search?${new URLSearchParams(query).toString()}`);
  expect(status).toBe(200);
  return body.items;
}

const inMessages = (space: Space, q: string) => find(space, { q, kinds: 'message' });

test('PLUS-5 a search finds what people and models said, with the chat and the event where it begins', async () => {
  const space = await newSpace(world.url);
  const { chat, run } = await talk(space, 'Birds', 'The albatross sleeps while it flies.');
  await say(space, chat, 'And where does the kingfisher nest?');
  const [answer] = await inMessages(space, 'albatross flies');
  expect(answer).toMatchObject({
    entity_type: 'message',
    title: 'Birds',
    snippet: expect.stringContaining('albatross sleeps'),
    message: { chat_id: chat },
  });
  expect(answer!.message?.role === 'user' || answer!.snippet === 'The albatross sleeps while it flies.').toBe(
    true,
  );
  // Only what was said is searched, not how it is stored.
  expect(await inMessages(space, 'complete ended')).toEqual([]);
  const hits = await inMessages(space, 'albatross');
  expect(hits.map(({ message }) => String(message?.role)).toSorted()).toEqual(['assistant', 'user']);
  const { body } = await ask('GET', `${world.url}/api/threads/${chat}/events?format=json&limit=1000`);
  const events = body.items as { seq: number; type: string; run_id: string; data: { message_id?: string } }[];
  const typeAt = (role: string) => {
    const seq = hits.find(({ message }) => message?.role === role)!.message!.seq;
    return events.find((event) => event.seq === seq)!;
  };
  expect(typeAt('user')).toMatchObject({ run_id: run });
  expect(typeAt('assistant')).toMatchObject({ run_id: run });
  expect(typeAt('assistant').seq).toBeGreaterThan(typeAt('user').seq);
  // A message is found as soon as it is stored, also after a search has indexed the ones before it.
  expect((await inMessages(space, 'kingfisher')).map(({ message }) => message?.chat_id)).toContain(chat);
});

test('PLUS-5 a search in a chat finds its messages alone', async () => {
  const space = await newSpace(world.url);
  const one = await talk(space, 'One', 'A lantern in the window.');
  const two = await talk(space, 'Two', 'A lantern on the pier.');
  const hits = await find(space, { q: 'lantern', chat_id: two.chat });
  expect(new Set(hits.map(({ message }) => message?.chat_id))).toEqual(new Set([two.chat]));
  expect(await inMessages(space, 'lantern -pier')).toSatisfy((all: Hit[]) =>
    all.every(({ message }) => message?.chat_id === one.chat),
  );
});

test('PLUS-5 messages come after files and entities, and only if they are asked for', async () => {
  const space = await newSpace(world.url);
  await put(space, 'zeppelin.md', 'about a zeppelin');
  await talk(space, 'Air', 'A zeppelin above the lake.');
  expect((await find(space, { q: 'zeppelin' })).map(({ entity_type }) => entity_type)).toEqual(['file']);
  const kinds = (await find(space, { q: 'zeppelin', kinds: 'file,message' })).map((hit) => hit.entity_type);
  expect(kinds).toEqual(['file', 'message', 'message']);
  const wrong = await ask('GET', `${space.url}/search?q=x&kinds=massage`);
  expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
  expect(wrong.text).toContain('message');
});

test('PLUS-5 a message of another workspace, of a removed chat or of a purged one is never found', async () => {
  const [space, other] = [await newSpace(world.url), await newSpace(world.url)];
  const mine = await talk(space, 'Mine', 'The password is persimmon.');
  await talk(other, 'Theirs', 'Their password is tamarind, not persimmon.');
  expect(await inMessages(space, 'tamarind')).toEqual([]);
  expect(await find(other, { q: 'persimmon', chat_id: mine.chat })).toEqual([]);
  for (const hit of await inMessages(space, 'persimmon')) expect(hit.message?.chat_id).toBe(mine.chat);
  // A misspelled word is completed from the words of this workspace alone.
  expect(await inMessages(space, 'tamarinds')).toEqual([]);

  await ask('DELETE', `${space.url}/chats/${mine.chat}`);
  expect(await inMessages(space, 'persimmon')).toEqual([]);
  const pool = createPool(
    { connection: world.database.url, applicationName: 'chores', leaseSeconds: 30 },
    () => undefined,
  );
  try {
    const words = async () =>
      (
        await pool.query(
          `select count(*)::int as n from vocabulary where workspace_id = message_scope($1) and word = 'persimmon'`,
          [space.id],
        )
      ).rows[0].n;
    expect(await words()).toBe(1);
    await pool.query(`update threads set removed_at = now() - interval '8 days' where id = $1`, [mine.chat]);
    await until('the chat is purged', async () => {
      await doChores(pool);
      return (await count(world.database, 'threads where id = $1', [mine.chat])) === 0;
    });
    expect(await words()).toBe(0);
    const { rows } = await pool.query('select 1 from indexed_texts where workspace_id = message_scope($1)', [
      space.id,
    ]);
    expect(rows).toEqual([]);
  } finally {
    await pool.end();
  }
  expect(await inMessages(other, 'tamarind')).not.toEqual([]);
});

test('PLUS-5 searches at the same time index every message once', async () => {
  const space = await newSpace(world.url);
  for (let n = 0; n < 5; n += 1) await talk(space, `Chat ${n}`, `Number ${n} of the marmalade.`);
  const answers = await Promise.all(Array.from({ length: 8 }, () => inMessages(space, 'marmalade')));
  for (const hits of answers) expect(new Set(hits.map(({ message }) => message?.chat_id)).size).toBe(5);
});

test('PLUS-5 a chat is found by any words of its title, and many chats leave room for files', async () => {
  const space = await newSpace(world.url);
  for (let n = 0; n < 12; n += 1) await talk(space, `The street’s party, part ${n}`, 'Yes.');
  await put(space, 'notes.md', 'The party needs chairs.');
  const chats = await find(space, { q: 'party STREET’s par*', kinds: 'chat', limit: '100' });
  expect(chats).toHaveLength(12);
  expect(chats[0]).toMatchObject({ entity_type: 'chat', title: 'The street’s party, part 11' });
  expect(await find(space, { q: 'party wedding', kinds: 'chat' })).toEqual([]);
  const all = await find(space, { q: 'party', limit: '11' });
  expect(all.map(({ entity_type: kind }) => kind)).toEqual([
    ...Array.from({ length: 10 }, () => 'chat'),
    'file',
  ]);
});
