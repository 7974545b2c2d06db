// Read keys: list, make, remove.

import { connect, type Remote } from '../connect.ts';
import { CommandError } from '../failure.ts';
import { note, print, printJson, short, table, time } from '../output.ts';

export async function list(remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const { items } = await client.readKeys.list();
  if (remote.json) return printJson({ items });
  if (items.length === 0) return note('No read keys. `continuo content add-key <name>` makes one.');
  print(
    table(
      ['NAME', 'MADE', 'LAST USED'],
      items.map(({ name, created_at, used_at }) => [
        short(name, 60),
        time(created_at),
        used_at === null ? 'never' : time(used_at),
      ]),
    ),
  );
}

export async function add(name: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const added = await client.readKeys.create(name);
  if (remote.json) return printJson(added);
  note('This is the key. Copy it now: it is not shown again.');
  print(added.key);
}

export async function remove(name: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const found = (await client.readKeys.list()).items.find((key) => key.name === name);
  if (!found)
    throw new CommandError(`there is no read key ${JSON.stringify(name)}; continuo content keys shows them`, {
      code: 'read_key_not_found',
    });
  await client.readKeys.remove(found.id);
  if (remote.json) return printJson({ id: found.id, removed: true });
  print(`${short(name)} no longer works`);
}
