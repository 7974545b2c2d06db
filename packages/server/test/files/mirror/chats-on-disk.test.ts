// Chats are written out to the folder on disk at the end of a run, for people to read; nobody writes them.

import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask, createThread, framesOf, send, until } from '@continuo/testkit';
import { freshDatabase, startPod, type PodSettings, type TestPod } from '@continuo/testkit/fixtures';

const DEFAULT = '00000000-0000-7000-8000-000000000001';

async function openHome() {
  const database = await freshDatabase();
  const home = mkdtempSync(join(tmpdir(), 'continuo-chats-'));
  const pods: TestPod[] = [];
  onTestFinished(async () => {
    for (const pod of pods) await pod.end();
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  });
  const folder = join(home, 'workspaces/default/chats');
  const names = () => (existsSync(folder) ? readdirSync(folder) : []).toSorted();
  /** A person's request to the pod that started last. */
  const change = async (method: string, thread: string, rest = '', body?: object) => {
    const url = `${pods.at(-1)!.url}/api/v1/workspaces/default/chats/${thread}${rest}`;
    expect((await ask(method, url, body)).status).toBeLessThan(300);
  };
  return {
    database,
    folder,
    names,
    start: async (settings: Partial<PodSettings> = {}) => {
      const env = { CONTINUO_HOME: home, CONTINUO_MODEL: 'offline/script' };
      const pod = await startPod({ databaseUrl: database.url, env, ...settings });
      pods.push(pod);
      return pod;
    },
    /** The one chat whose name begins so, as soon as it says this. */
    says: (name: string, text: string) =>
      until(`the file of ${name} has its text`, async () => {
        const found = names().find((each) => each.startsWith(name));
        return found && readFileSync(join(folder, found), 'utf8').includes(text) ? found : null;
      }),
    quarantined: () => {
      const place = join(home, 'mirrors', DEFAULT, 'quarantine');
      const texts = existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.txt')) : [];
      return texts.map((name) => readFileSync(join(place, name), 'utf8'));
    },
    rename: (thread: string, title: string) => change('PATCH', thread, '', { title }),
    remove: (thread: string, removed: boolean) =>
      removed ? change('DELETE', thread) : change('POST', thread, '/restore'),
    kept: async () => {
      const { rows } = await database.pool.query<{ path: string }>('select path from files order by path');
      return rows.map(({ path }) => path);
    },
  };
}

async function say(pod: TestPod, thread: string, text: string): Promise<void> {
  const run = await send(pod.url, thread, { steps: [{ text }] });
  await framesOf(pod.url, run.id);
}

async function chat(pod: TestPod, title: string): Promise<string> {
  return (await ask('POST', `${pod.url}/api/threads`, { title })).body.id as string;
}

test('WS-19 at the end of a run its chat is a read-only file in the folder, and says what the API says', async () => {
  const home = await openHome();
  const pod = await home.start();
  const thread = await chat(pod, 'Frogs');
  await say(pod, thread, 'One frog.');
  const name = await home.says('frogs', 'One frog.');
  expect(name).toBe(`frogs-${thread.slice(-12)}.chat`);
  expect(statSync(join(home.folder, name)).mode & 0o777).toBe(0o444);
  await say(pod, thread, 'Two frogs.');
  await home.says('frogs', 'Two frogs.');
  const read = await ask('GET', `${pod.url}/api/v1/workspaces/default/files/chats/${name}`);
  await until(
    'the file is what the API reads',
    async () => readFileSync(join(home.folder, name), 'utf8') === read.text,
  );
  expect(home.names()).toEqual([name]);
  expect(await home.kept()).toEqual([]);
});

test('WS-19 a renamed chat moves, a removed one disappears and comes back', async () => {
  const home = await openHome();
  const pod = await home.start();
  const thread = await chat(pod, 'Frogs');
  const other = await chat(pod, 'Toads');
  await say(pod, thread, 'One frog.');
  await say(pod, other, 'A toad.');
  await home.says('toads', 'A toad.');
  await home.says('frogs', 'One frog.');
  await home.rename(thread, 'Newts');
  await home.says('newts', 'One frog.');
  await until('two chats are on disk', async () => home.names().length === 2);
  await home.remove(thread, true);
  await until('one chat is on disk', async () => home.names().length === 1);
  await home.remove(thread, false);
  await home.says('newts', 'One frog.');
});

test('WS-19 what a person does under /chats is quarantined or undone, and becomes no version', async () => {
  const home = await openHome();
  const pod = await home.start();
  const thread = await chat(pod, 'Frogs');
  await say(pod, thread, 'One frog.');
  const name = await home.says('frogs', 'One frog.');
  const place = join(home.folder, name);
  const said = readFileSync(place, 'utf8');
  const putBack = () =>
    until('the chat is put back', async () => existsSync(place) && readFileSync(place, 'utf8') === said);

  chmodSync(place, 0o644);
  writeFileSync(place, 'No frog at all.');
  await putBack();
  await until('the edit is in quarantine', async () => home.quarantined().length === 1);
  expect(home.quarantined()[0]).toContain('everything under /chats is read-only');
  await until('the file is read-only', async () => (statSync(place).mode & 0o777) === 0o444);

  writeFileSync(join(home.folder, 'saved'), 'Saved by renaming.');
  renameSync(join(home.folder, 'saved'), place);
  await putBack();
  rmSync(place);
  await putBack();
  renameSync(place, join(home.folder, 'frogs.chat'));
  await until(
    'the chat has its name again',
    async () => home.names().length === 1 && home.names()[0] === name,
  );
  writeFileSync(join(home.folder, 'mine.chat'), 'A chat of my own.');
  await until('one chat is on disk', async () => home.names().length === 1);
  await until('the foreign file is in quarantine', async () =>
    home.quarantined().some((text) => text.includes('/chats/mine.chat')),
  );
  rmSync(home.folder, { recursive: true });
  await putBack();
  expect(await home.kept()).toEqual([]);
});

test('WS-19 a chat that is moved out of /chats is a person’s file from then on, and the chat is put back', async () => {
  const home = await openHome();
  const pod = await home.start();
  await say(pod, await chat(pod, 'Frogs'), 'One frog.');
  const name = await home.says('frogs', 'One frog.');
  renameSync(join(home.folder, name), join(home.folder, '../frogs.md'));
  await until('the file is in the database', async () => (await home.kept()).includes('/frogs.md'));
  await home.says('frogs', 'One frog.');
  expect(await home.kept()).toEqual(['/frogs.md']);
});

test('WS-19 what happened while nobody had the folder is made right when it is opened', async () => {
  const home = await openHome();
  const first = await home.start();
  const [renamed, removed, edited] = [
    await chat(first, 'Frogs'),
    await chat(first, 'Toads'),
    await chat(first, 'Newts'),
  ];
  for (const thread of [renamed, removed, edited]) await say(first, thread, 'Said before.');
  for (const name of ['frogs', 'toads', 'newts']) await home.says(name, 'Said before.');
  first.kill('SIGKILL');
  await first.exited;
  const { pool } = home.database;
  await pool.query("update threads set title = 'Salamanders' where id = $1", [renamed]);
  await pool.query('update threads set removed_at = clock_timestamp() where id = $1', [removed]);
  const newts = home.names().find((name) => name.startsWith('newts'))!;
  writeFileSync(join(home.folder, newts), 'Edited while it was stopped.');
  await home.start();
  await home.says('salamanders', 'Said before.');
  await home.says('newts', 'Said before.');
  await until('two chats are on disk', async () => home.names().length === 2);
  expect(home.quarantined()).toHaveLength(1);
  expect(await home.kept()).toEqual([]);
});

test('WS-19 a pod that is killed at any point of writing a chat out leaves what the next one makes right', async () => {
  const home = await openHome();
  let pod = await home.start({ armable: true });
  const thread = await createThread(pod.url);
  await say(pod, thread, 'Round 0.');
  for (const [index, point] of [
    'before',
    'written',
    'recorded',
    'captured',
    'linked',
    'placed',
    'synced',
  ].entries()) {
    await home.says('', `Round ${index}.`);
    // It is acknowledged when the mirror is done with what it was writing.
    const turn = `${pod.url}/api/v1/workspaces/default/files/turn.md`;
    expect((await fetch(turn, { method: 'PUT', body: `${index}` })).ok).toBe(true);
    pod.arm(`mirror.${point}`);
    const script = { steps: [{ text: `Round ${index + 1}.` }] };
    const key = { 'idempotency-key': randomUUID() };
    // The chat may be written once more for what came before, its title for example. Then the pod is killed before it responds.
    await send(pod.url, thread, script, key).catch(() => null);
    expect((await pod.exited).signal).toBe('SIGKILL');
    pod = await home.start({ armable: true });
    await framesOf(pod.url, (await send(pod.url, thread, script, key)).id);
    await home.says('', `Round ${index + 1}.`);
    await until('one chat is on disk', async () => home.names().length === 1);
    expect(home.quarantined()).toEqual([]);
  }
}, 180_000);

test('WS-19 a chat whose run another pod executed is written by the one that has the folder', async () => {
  const home = await openHome();
  const owner = await home.start();
  const other = await home.start();
  const thread = await chat(other, 'Frogs');
  await say(other, thread, 'Said on the other pod.');
  await home.says('frogs', 'Said on the other pod.');
  await owner.end();
  await say(other, thread, 'Said after the take-over.');
  await home.says('frogs', 'Said after the take-over.');
});

test('WS-19 chats that the mirror wrote are taken for its own when its ledger is lost', async () => {
  const home = await openHome();
  let pod = await home.start();
  const [same, older] = [await chat(pod, 'same'), await chat(pod, 'older')];
  await say(pod, same, 'It stays.');
  await say(pod, older, 'The beginning.');
  const name = await home.says('same', 'It stays.');
  await home.says('older', 'The beginning.');
  const edited = await chat(pod, 'edited');
  await say(pod, edited, 'A person edits this.');
  const changed = await home.says('edited', 'A person edits this.');
  await pod.end();
  rmSync(join(home.folder, '../../../mirrors', DEFAULT, 'ledger'));
  chmodSync(join(home.folder, changed), 0o644);
  writeFileSync(join(home.folder, changed), 'by a person');
  await home.database.pool.query(`update threads set title = 'renamed' where id = $1`, [same]);
  pod = await home.start();
  await home.says('renamed', 'It stays.');
  await say(pod, older, 'The end.');
  await home.says('older', 'The end.');
  await home.says('edited', 'A person edits this.');
  await until('the chat is off the disk', async () => !home.names().includes(name));
  expect(home.quarantined()).toEqual([expect.stringContaining(changed)]);
});
