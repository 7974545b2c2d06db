// What a chat has in focus, and how full its model's context window was at the last request. Read from the request's manifest alone, so
// that a screen can ask for it after every answer.

import type { ChatContext, ThreadScope } from '@continuo/protocol';
import { WINDOW_TOKENS } from '../../context/history.ts';
import type { PartList } from '../../context/manifest.ts';
import { isOffline } from '../../context/token-ratios.ts';
import type { Queryable } from '../../db/pool.ts';
import { readEntities } from '../../knowledge/entities.ts';
import { contextLimitOf } from '../../models/prices.ts';
import { ratioOf, readPartList, readPreviousManifest, type Manifest } from './context.ts';
import { readUsage } from './context-cost.ts';

const AFTER_ALL = 2_147_483_647;

export async function readChatContext(
  client: Queryable,
  { workspaceId, threadId }: { readonly workspaceId: string; readonly threadId: string },
): Promise<ChatContext> {
  const [next, last] = await Promise.all([
    readFocus(client, threadId),
    readPreviousManifest(client, threadId, AFTER_ALL),
  ]);
  const list = last && (await readPartList(client, last));
  const scope = next ?? (list ? scopeOf(list) : { project_id: null });
  const [focus, used] = await Promise.all([
    describe(client, workspaceId, scope),
    last && readLast(client, last, list),
  ]);
  return { focus: { ...focus, is_next: next !== null }, last: used };
}

async function readFocus(client: Queryable, threadId: string): Promise<ThreadScope | null> {
  const { rows } = await client.query<{ focus: string | null }>({
    name: 'read_focus',
    text: 'select focus::text as focus from threads where id = $1',
    values: [threadId],
  });
  const focus = rows[0]?.focus ?? null;
  return focus === null ? null : (JSON.parse(focus) as ThreadScope);
}

/** What a request was about. */
function scopeOf({ system }: PartList): ThreadScope {
  const idOf = (kind: 'project' | 'entity') =>
    system.flatMap((part) =>
      part.kind === kind && part.source.kind === 'entity' ? [part.source.id] : [],
    )[0];
  const entity = idOf('entity');
  return { project_id: idOf('project') ?? null, ...(entity !== undefined && { entity_id: entity }) };
}

async function describe(
  client: Queryable,
  workspaceId: string,
  { project_id, entity_id }: ThreadScope,
): Promise<Omit<ChatContext['focus'], 'is_next'>> {
  const ids = [project_id, entity_id].filter((id) => typeof id === 'string');
  const found = ids.length === 0 ? null : await readEntities(client, workspaceId, ids);
  const shown = (id: string | null | undefined) => {
    const entity = id === null || id === undefined ? undefined : found?.get(id);
    return entity ? { id: entity.id, kind: entity.kind, title: entity.title ?? entity.name ?? '' } : null;
  };
  const [project, entity] = [shown(project_id), shown(entity_id)];
  return { scope: entity ? 'entity' : project ? 'project' : 'global', project, entity };
}

async function readLast(
  client: Queryable,
  manifest: Manifest,
  list: PartList | null,
): Promise<NonNullable<ChatContext['last']>> {
  const ratio = ratioOf(manifest);
  const parts = list ? sizes(list, manifest.history?.tokens ?? 0, ratio) : [];
  const usage = await readUsage(client, manifest);
  const isReported = usage !== null && usage.input > 0 && !isOffline(manifest.model);
  const estimated = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const window = contextLimitOf(manifest.model);
  return {
    run_id: manifest.run_id,
    message: manifest.message,
    model: manifest.model,
    at: manifest.at,
    tokens: isReported ? usage.input + usage.output : estimated,
    is_reported: isReported,
    ratio,
    window: window ?? WINDOW_TOKENS,
    is_window_known: window !== null,
    parts,
  };
}

/** Sums by place and kind. */
function sizes(list: PartList, history: number, ratio: number): NonNullable<ChatContext['last']>['parts'] {
  const all = [
    { place: 'tools' as const, kind: 'tool', tokens: list.tool_tokens },
    ...list.system.map(({ kind, tokens }) => ({ place: 'system' as const, kind, tokens })),
    { place: 'history' as const, kind: 'messages', tokens: history },
    ...list.turn.map(({ kind, tokens }) => ({ place: 'turn' as const, kind, tokens })),
  ];
  return [...Map.groupBy(all, ({ place, kind }) => `${place} ${kind}`).values()]
    .map((same) => ({
      ...same[0]!,
      tokens: Math.round(same.reduce((sum, { tokens }) => sum + tokens, 0) * ratio),
    }))
    .filter(({ tokens }) => tokens > 0);
}
