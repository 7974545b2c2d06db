// Workspaces: list, create, rename, remove, restore.

import { connect, type Remote } from '../connect.ts';
import { bytes, dim, note, print, printJson, safe, table, time } from '../output.ts';

export async function list({ removed, ...remote }: Remote & { removed?: boolean }): Promise<void> {
  const { client } = await connect(remote);
  const items = [];
  for (let after: string | undefined | null; after !== null;) {
    const page = await client.workspaces.list({
      limit: 1000,
      ...(removed && { removed: 'true' }),
      ...(after !== undefined && { after }),
    });
    items.push(...page.items);
    after = page.next;
  }
  if (remote.json) return printJson({ items });
  if (items.length === 0) return note('No removed workspaces.');
  print(
    removed
      ? table(
          ['WORKSPACE', 'REMOVED', 'CAN BE RESTORED UNTIL', 'ID'],
          items.map((each) => [each.name, time(each.removed_at), time(each.purged_after), each.id]),
        )
      : table(
          ['WORKSPACE', 'FILES', 'SIZE', 'CREATED', 'ID'],
          items.map((each) => [
            each.name,
            String(each.files),
            bytes(each.bytes),
            time(each.created_at),
            each.id,
          ]),
        ),
  );
}

export async function create(name: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const made = await client.workspaces.create({ name });
  if (remote.json) return printJson(made);
  print(`${safe(made.name)} is created; -w ${safe(made.name)} uses it`);
}

export async function rename(workspace: string, name: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const renamed = await client.workspaces.rename(name, { workspace });
  if (remote.json) return printJson(renamed);
  print(`${safe(workspace)} is called ${safe(renamed.name)}`);
}

export async function remove(workspace: string, remote: Remote): Promise<void> {
  const { client, commandFor } = await connect(remote);
  const removed = await client.workspaces.remove({ workspace });
  if (remote.json) return printJson(removed);
  print(`${safe(removed.name)} is removed, with its files, chats and projects`);
  note(
    dim(`until ${time(removed.purged_after)}, ${commandFor(`workspaces restore ${removed.id}`)} restores it`),
  );
}

export async function restore(workspace: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const restored = await client.workspaces.restore({ workspace });
  if (remote.json) return printJson(restored);
  print(`${safe(restored.name)} is restored`);
}
