// Chats: list, show, rename, archive, remove, restore.

import type { Client } from '@continuo/client';
import { connect, type Remote } from '../connect.ts';
import { bold, dim, note, print, printJson, safe, short, table, time } from '../output.ts';

type Chat = Awaited<ReturnType<Client['chats']['get']>>;

interface ListOptions extends Remote {
  readonly archived?: boolean;
  readonly removed?: boolean;
  readonly limit: number;
}

export async function list({ archived, removed, limit, ...remote }: ListOptions): Promise<void> {
  const { client } = await connect(remote);
  const page = await client.chats.list({
    limit,
    ...(archived && { archived: 'true' }),
    ...(removed && { removed: 'true' }),
  });
  if (remote.json) return printJson(page);
  if (page.items.length === 0)
    return note(
      archived || removed
        ? `No ${archived ? 'archived' : 'removed'} chats.`
        : 'No chats. `continuo chat "hello"` opens one.',
    );
  print(
    table(
      ['CHAT', 'LATEST MESSAGE', 'STATE', 'TITLE'],
      page.items.map((chat) => [chat.id, time(chat.active_at), stateOf(chat), nameOf(chat)]),
    ),
  );
  if (page.next !== null) note(dim('There are more; use -n to show more.'));
}

export async function show(id: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const chat = await client.chats.get(id);
  if (remote.json) return printJson(chat);
  const { usage } = chat;
  print(bold(nameOf(chat)));
  const lines = [
    ['state', stateOf(chat)],
    ['role', chat.role ?? ''],
    ['model', chat.model ?? ''],
    ['opened', time(chat.created_at)],
    ['latest message', time(chat.active_at)],
    ['waiting approvals', chat.waiting_approvals || ''],
    ['queued runs', chat.queued_runs || ''],
    ['tokens', `${usage.input} in, ${usage.output} out, in ${usage.runs} runs`],
    ['cost', usage.cost === null ? '' : `$${usage.cost.toFixed(4)}`],
    ['file', chat.path],
  ] as const;
  for (const [name, value] of lines) if (value !== '') print(`${dim(name.padEnd(18))}${safe(String(value))}`);
}

export async function rename(id: string, title: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const chat = await client.chats.change(id, { title });
  if (remote.json) return printJson(chat);
  print(`${chat.id} is called ${nameOf(chat)}`);
}

const DONE = { archive: 'archived', unarchive: 'no longer archived', remove: 'removed', restore: 'restored' };
export type Change = keyof typeof DONE;

export async function change(action: Change, id: string, remote: Remote): Promise<void> {
  const { client, commandFor } = await connect(remote);
  const chat = await changed(client, action, id);
  if (remote.json) return printJson(chat);
  print(`${nameOf(chat)} is ${DONE[action]}`);
  if (action === 'remove') note(dim(`for 7 days, ${commandFor(`chats restore ${id}`)} restores it`));
}

async function changed(client: Client, action: Change, id: string): Promise<Chat> {
  if (action === 'restore') return client.chats.restore(id);
  if (action !== 'remove') return client.chats.change(id, { archived: action === 'archive' });
  const chat = await client.chats.get(id);
  await client.chats.remove(id);
  return chat;
}

function nameOf({ title, goal }: Chat): string {
  return short(title ?? goal ?? 'New chat', 80);
}

function stateOf({ state, reason, removed_at, archived_at, waiting_approvals }: Chat): string {
  if (removed_at !== null) return 'removed';
  if (archived_at !== null) return 'archived';
  return waiting_approvals > 0 ? 'waiting' : (reason ?? state);
}
