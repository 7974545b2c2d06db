// The documents of a project: tree, read, write, move.

import { buffer } from 'node:stream/consumers';
import type { Schemas } from '@continuo/client';
import { connect, type Remote } from '../connect.ts';
import { CommandError, EXIT } from '../failure.ts';
import { findDocument, findProject, isId } from '../find-entity.ts';
import { localFile } from '../local-files.ts';
import { dim, note, print, printJson, safe, short } from '../output.ts';

interface InProject extends Remote {
  readonly project?: string;
}

type Node = Schemas['StructureNode'];

export async function tree({ project: given, ...remote }: InProject): Promise<void> {
  const { client } = await connect(remote);
  const project = await findProject(client, given);
  const structure = await client.documents.structure(project.id, { include: 'metadata' });
  if (remote.json) return printJson(structure);
  const documents = new Map(structure.documents!.map((each) => [each.id, each]));
  const lines = (nodes: readonly Node[], depth: number): string[] =>
    nodes.flatMap(({ id, children }) => {
      const { title, description } = documents.get(id)!;
      const about = description ? dim(`  ${short(description, 80)}`) : '';
      return [`${'  '.repeat(depth)}${safe(title)}${about}`, ...lines(children, depth + 1)];
    });
  if (structure.root.length === 0) return note('The project has no documents.');
  print(lines(structure.root, 0).join('\n'));
}

export async function read(given: string, { project, ...remote }: InProject): Promise<void> {
  const { client } = await connect(remote);
  const found = await findDocument(client, given, project);
  // A document that was found by its path comes with its content, too.
  if (remote.json) return printJson(found);
  const content = found.content ?? '';
  process.stdout.write(process.stdout.isTTY ? safe(content) : content);
}

export interface WriteOptions extends InProject {
  readonly base?: number;
  readonly description?: string;
}

/** Writes a document's content. A path that no document has makes a new one below its parent. */
export async function write(
  given: string,
  file: string | undefined,
  { project: name, base, description, ...remote }: WriteOptions,
): Promise<void> {
  const { client } = await connect(remote);
  if (file === undefined && process.stdin.isTTY && !remote.json) note(dim('Reading until Ctrl-D…'));
  const content =
    file === undefined
      ? (await buffer(process.stdin)).toString('utf8')
      : await (await localFile(file)).text();
  const project = isId(given) ? null : await findProject(client, name);
  const found = project ? await placeOf(client, project.id, given) : { id: given };
  const fields = { content, ...(description !== undefined && { description }) };
  const written =
    found.id !== undefined
      ? await client.documents.change(found.id, fields, { base })
      : await client.documents.create({
          project_id: project!.id,
          title: found.title,
          parent_id: found.parent,
          ...fields,
        });
  if (remote.json) return printJson(written);
  print(`${safe(written.title)} is at version ${written.version}, in ${safe(written.path)}`);
}

type Place =
  | { readonly id: string }
  | { readonly id?: undefined; readonly title: string; readonly parent: string | null };

/** The document at exactly this path, or where a new one would be. */
async function placeOf(
  client: Awaited<ReturnType<typeof connect>>['client'],
  project: string,
  path: string,
): Promise<Place> {
  const { root, documents } = await client.documents.structure(project, { include: 'metadata' });
  const titles = new Map(documents!.map(({ id, title }) => [id, comparable(title)]));
  const names = path.split('/').filter((name) => name.trim() !== '');
  const above = names.slice(0, -1);
  const title = names.at(-1) ?? path;
  let [nodes, parent]: [readonly Node[], string | null] = [root, null];
  for (const [index, name] of above.entries()) {
    const next = nodes.find(({ id }) => titles.get(id) === comparable(name));
    if (!next)
      throw new CommandError(`There is no document ${above.slice(0, index + 1).join('/')} to put it below.`, {
        code: 'document_not_found',
        exitCode: EXIT.notFound,
        hint: 'Write that one first, or see the tree with: continuo documents tree',
      });
    [nodes, parent] = [next.children, next.id];
  }
  const found = nodes.find(({ id }) => titles.get(id) === comparable(title));
  return found ? { id: found.id } : { title: title.replace(/\.md$/i, ''), parent };
}

function comparable(title: string): string {
  return title.normalize('NFC').trim().toLowerCase().replace(/\.md$/, '');
}

export async function move(
  given: string,
  parent: string,
  { project, order, base, ...remote }: InProject & { order?: number; base?: number },
): Promise<void> {
  const { client } = await connect(remote);
  const document = await findDocument(client, given, project);
  const parentId =
    parent === '/' ? null : (await findDocument(client, parent, document.project_id ?? undefined)).id;
  const moved = await client.documents.move(
    document.id,
    { parent_id: parentId, ...(order !== undefined && { order }) },
    { base },
  );
  if (remote.json) return printJson(moved);
  print(`${safe(moved.title)} is in ${safe(moved.path)}`);
}
