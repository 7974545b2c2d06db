// Plans as entities: a plan's id is its file's id, and every change here is a change of its file, like a document's. What the
// steps are, and how far they are, is planning's business.

import { isPlanId, parsePlan, printPlan } from '@continuo/protocol';
import { transaction, type Pool } from '../db/pool.ts';
import { asText, holdContent } from '../files/content.ts';
import { lockFiles, readFile, removeFiles, restoreFiles, writeFile, type Changed } from '../files/files.ts';
import { parsePath, type FilePath } from '../files/paths.ts';
import { readHead } from '../files/save.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import type { DocumentChange } from './documents.ts';
import { EntityService, type Caller, type EntityInput } from './entities.ts';
import { NotFound, Refused, VersionConflict } from './errors.ts';
import { printDocument } from './front-matter.ts';
import type { Entity } from './kind.ts';
import { plan as planKind } from './kinds/plan.ts';
import { folderFor, numbered } from './names.ts';

/** Where plans are, in the workspace and in a project's folder. */
const PLANS_FOLDER = '/plans';
const NAMES_TRIED = 1000;

type Reader = Pick<Caller, 'client' | 'workspaceId'>;

/** `content` is the whole text of the file. */
interface PlanInput extends EntityInput {
  readonly description?: string | null;
  readonly content?: string;
}

export class PlanFiles extends EntityService {
  readonly #pool: Pool;
  readonly #workspaces: Workspaces;

  constructor(pool: Pool, workspaces: Workspaces) {
    super(planKind);
    this.#pool = pool;
    this.#workspaces = workspaces;
  }

  override async create(
    caller: Caller,
    { title, description, content }: PlanInput,
    projectId: string | null,
  ): Promise<DocumentChange> {
    const folder = `${await this.#folderOf(caller, projectId)}${PLANS_FOLDER}`;
    const name = folderFor(title!);
    const text = content ?? printPlan({ id: isPlanId(name) ? name : 'plan', goal: title!, stages: [] });
    const isTitled = content === undefined || goalOf(content) === title;
    const patch = { title: isTitled ? undefined : title, description: description ?? undefined };
    const stored = await this.#store(printDocument(patch, text));
    for (let n = 1; n <= NAMES_TRIED; n += 1) {
      const path = pathOf(`${folder}/${numbered(name, n)}.plan`);
      const written = await this.#write(caller, path, stored, 0);
      if (written.kind === 'changed') return this.#changeOf(caller, written.file.id, [written]);
      if (written.kind === 'in_the_way') throw new Refused(written.problem);
    }
    throw new Refused(`there are ${NAMES_TRIED} plans with this title; choose another title`);
  }

  /** The plan with the text of its file; null if there is none. */
  async readWithContent(reader: Reader, id: string): Promise<(Entity & { content: string }) | null> {
    const before = await this.read(reader, id);
    if (before) await this.#workspaces.refreshed(reader.workspaceId, pathOf(before.path as string));
    const entity = before && (await this.read(reader, id));
    const file = entity && (await readFile(reader.client, reader.workspaceId, id));
    return file ? { ...entity, content: asText(await readHead(reader.client, file)) ?? '' } : null;
  }

  override async update(
    caller: Caller,
    id: string,
    { title, description, content }: PlanInput,
    expected: number | null,
  ): Promise<DocumentChange> {
    return this.#inTransaction(caller, async (within) => {
      const file = await this.#lock(within, id, expected);
      const before = asText(await readHead(within.client, file));
      if (before === null) throw new Refused(`${file.path} is not text; write the file instead`);
      const text = content ?? before;
      const isSame = title === undefined || goalOf(text) === title;
      const stored = await this.#store(
        printDocument({ title: isSame ? undefined : title, description }, text),
      );
      const written = await this.#write(within, file, stored, file.version);
      if (written.kind === 'in_the_way') throw new Refused(written.problem);
      if (written.kind === 'conflict') throw new Refused(`${file.path} is changing; try again`);
      return this.#changeOf(within, id, [written]);
    });
  }

  override async delete(caller: Caller, id: string, expected: number | null): Promise<DocumentChange> {
    return this.#inTransaction(caller, async (within) => {
      const { client, workspaceId, author } = within;
      await lockFiles(client, workspaceId, []);
      await this.#lock(within, id, expected);
      const removed = await removeFiles(client, { workspaceId, author, ids: [id], at: new Date() });
      return this.#changeOf(within, id, removed);
    });
  }

  override async restore(caller: Caller, id: string): Promise<DocumentChange> {
    return this.#inTransaction(caller, async (within) => {
      const { client, workspaceId, author } = within;
      await lockFiles(client, workspaceId, []);
      const entity = await this.read(within, id, { removed: true });
      if (!entity) throw this.notFound(id);
      const file = await readFile(client, workspaceId, id);
      if (file?.removedAt === null) return this.#changeOf(within, id, []);
      const files = await restoreFiles(client, { workspaceId, author, ids: [id] });
      if (!files.some((each) => each.kind === 'changed'))
        throw new Refused(`${file?.path ?? 'its path'} is another file now; move that one away first`);
      return this.#changeOf(within, id, files);
    });
  }

  #inTransaction<T>(caller: Caller, work: (within: Caller) => Promise<T>): Promise<T> {
    if (caller.client !== this.#pool) return work(caller);
    return transaction(this.#pool, (client) => work({ ...caller, client }));
  }

  async #lock(caller: Caller, id: string, expected: number | null) {
    const { client, workspaceId } = caller;
    await client.query('select from files where id = $1 and workspace_id = $2 for update', [id, workspaceId]);
    const entity = await this.read(caller, id);
    const file = entity && (await readFile(client, workspaceId, id));
    if (!file) throw this.notFound(id);
    if (expected !== null && expected !== entity.version) throw new VersionConflict(entity);
    return file;
  }

  async #folderOf({ client, workspaceId }: Caller, projectId: string | null): Promise<string> {
    if (projectId === null) return '';
    const { rows } = await client.query<{ folder: string }>(
      `select p.folder from projects p join entities e on e.id = p.id and e.removed_at is null
        where p.id = $1 and p.workspace_id = $2`,
      [projectId, workspaceId],
    );
    if (!rows[0]) throw new NotFound('project', projectId);
    return rows[0].folder;
  }

  #store(text: string) {
    const { maxFileBytes } = this.#workspaces.options;
    if (Buffer.byteLength(text) > maxFileBytes)
      throw new Refused(`the plan is too long: a file has at most ${maxFileBytes} bytes`);
    if (text.includes('\0') || !text.isWellFormed())
      throw new Refused('the plan has a NUL character or half of a character; a text has neither');
    return holdContent(this.#pool, text);
  }

  #write(caller: Caller, path: FilePath, content: Awaited<ReturnType<typeof holdContent>>, base: number) {
    const { client, workspaceId, author, quotaBytes } = caller;
    const { stage } = this.#workspaces;
    return writeFile(client, { workspaceId, author, path, content, base, quotaBytes, stage });
  }

  async #changeOf(caller: Caller, id: string, files: readonly Changed[]): Promise<DocumentChange> {
    const entity = await this.read(caller, id, { removed: true });
    const changes = files.flatMap((file) => (file.kind === 'changed' ? file.also : []));
    return { entities: entity ? [entity] : [], changes, files };
  }
}

function goalOf(text: string): string | null {
  const parsed = parsePlan(text);
  return parsed.ok ? parsed.plan.goal : null;
}

function pathOf(path: string): FilePath {
  const parsed = parsePath(path);
  if (parsed.ok) return parsed.path;
  throw new Refused(`the plan cannot be at ${path.slice(0, 200)}: ${parsed.problem}`);
}
