// Projects: list, create, show, remove, restore, export, import.

import { connect, type Remote } from '../connect.ts';
import { download } from '../download.ts';
import { entitiesOf, findProject, kindNamed, listAll, titleOf, type Entity } from '../find-entity.ts';
import { localFile } from '../local-files.ts';
import { bold, dim, note, plural, print, printJson, safe, short, table, time } from '../output.ts';

export async function list({
  state,
  removed,
  ...remote
}: Remote & { state?: string; removed?: true }): Promise<void> {
  const { client } = await connect(remote);
  const entities = entitiesOf(client, await kindNamed(client, 'project'));
  const items: Entity[] = [];
  const query = { ...(state && { state }), ...(removed && { removed: 'true' as const }) };
  for await (const each of listAll(entities, query)) items.push(each);
  if (remote.json) return printJson({ items });
  if (removed && items.length === 0) return note('No removed projects.');
  if (items.length === 0) return note('No projects. `continuo projects create <name>` makes one.');
  print(
    table(
      ['PROJECT', 'STATE', 'CHANGED', 'NAME', 'PURPOSE'],
      items.map((each) => [
        each.id,
        each.state ?? '',
        time(each.updated_at),
        short(titleOf(each), 60),
        short(each['purpose'] ?? '', 80),
      ]),
    ),
  );
}

export interface CreateOptions extends Remote {
  readonly purpose?: string;
  readonly goal?: string[];
  readonly task?: string[];
}

export async function create(name: string, { purpose, goal, task, ...remote }: CreateOptions): Promise<void> {
  const { client } = await connect(remote);
  const made = await client.projects.create({
    name,
    ...(purpose !== undefined && { purpose }),
    ...(goal && { goals: goal }),
    ...(task && { tasks: task }),
  });
  if (remote.json) return printJson(made);
  const titles = made.entitiesCreated.slice(1).map((each) => `${each.kind} ${titleOf(each)}`);
  print(`${safe(made.project.name)} is created, with ${safe(titles.join(', '))}`);
  note(dim(`Its documents are in ${safe(made.project.folder)}/docs; its id is ${made.project.id}`));
}

export async function show(given: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const project = await findProject(client, given);
  const { items: kinds } = await client.kinds();
  const counted = kinds.filter(({ kind, states }) => kind !== 'project' && states !== null);
  const boards = await Promise.all(
    counted.map(async (kind) => ({
      kind: kind.kind,
      label: kind.label.many,
      states: Object.fromEntries(
        (await entitiesOf(client, kind).board({ project_id: project.id, limit: 1 })).columns.map(
          ({ state, count }) => [state, count],
        ),
      ),
    })),
  );
  const { documents = [] } = await client.documents.structure(project.id, { include: 'metadata' });
  if (remote.json)
    return printJson({
      project,
      documents: documents.length,
      entities: Object.fromEntries(boards.map(({ kind, states }) => [kind, states])),
    });
  print(`${bold(safe(titleOf(project)))} ${dim(project.state ?? '')}`);
  if (typeof project['purpose'] === 'string') print(safe(project['purpose']));
  print('');
  print(`${'Documents'.padEnd(14)}${documents.length}`);
  for (const { label, states } of boards) {
    const told = Object.entries(states).filter(([, count]) => count > 0);
    if (told.length > 0)
      print(
        `${label.padEnd(14)}${told.map(([state, count]) => `${count} ${state.replaceAll('_', ' ')}`).join(', ')}`,
      );
  }
}

export async function remove(given: string, { base, ...remote }: Remote & { base?: number }): Promise<void> {
  const { client, commandFor } = await connect(remote);
  const { id } = await findProject(client, given);
  const removed = await client.projects.remove(id, { base });
  if (remote.json) return printJson(removed);
  print(`${safe(removed.name)} is removed, with everything in it.`);
  note(dim(`For 30 days, this restores it: ${commandFor(`projects restore ${id}`)}`));
}

export async function restore(id: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const restored = await client.projects.restore(id);
  if (remote.json) return printJson(restored);
  const { skipped = [] } = restored;
  print(
    `${safe(restored.name)} is restored, with everything that was in it${skipped.length === 0 ? '' : ` but ${plural(skipped.length, 'file')}`}.`,
  );
  for (const { path, reason } of skipped) note(`${safe(path)} stays in the trash: ${safe(reason)}`);
}

export async function exportTo(
  given: string,
  file: string | undefined,
  { force, ...remote }: Remote & { force?: boolean },
): Promise<void> {
  const { client } = await connect(remote);
  const project = await findProject(client, given);
  const folder = String(project['folder']);
  const target = file ?? `${folder.slice(folder.lastIndexOf('/') + 1)}.zip`;
  await download(target, force ?? false, (signal) => client.projects.pack(project.id, { signal }));
  if (remote.json) return printJson({ project: project.id, file: target });
  print(`${safe(titleOf(project))} is in ${target}`);
}

export async function importFrom(file: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const made = await client.projects.unpack(await localFile(file));
  if (remote.json) return printJson(made);
  const { project, entitiesCreated, edgesCreated } = made;
  print(
    `${safe(project.name)} is imported: ${entitiesCreated.length - 1} entities and ${plural(edgesCreated.length, 'link')}.`,
  );
  note(dim(`Its documents are in ${safe(project.folder)}/docs; its id is ${project.id}`));
}
