// PLUS-8 over the recorded logs: the requests of every answer in them are sent and described as they would be today, stored with
// the log in a real database, and rebuilt from there.

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '@continuo/testkit/fixtures';
import { CONTEXT_CHANGES, manifestChanges, recordRequest } from '../../src/context/manifest.ts';
import { assembleRequest, toModelRequest, type Packs } from '../../src/context/request.ts';
import { ContextTexts } from '../../src/context/texts.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { encode } from '../../src/log/changes.ts';
import { bind, INSERT_WITH_CHANGES } from '../../src/log/statements.ts';
import { readManifests, rebuildContext } from '../../src/runs/reads/context.ts';
import { EMPTY, foldAll, type ThreadState } from '../../src/threads/fold.ts';
import type { Agent } from '../../src/agents/agent.ts';
import { LS } from '../models/support.ts';
import { readLogs, type RecordedLog } from '../oracle/fixtures.ts';

const WORKSPACE = '00000000-0000-7000-8000-000000000001';
const NO_PACK = { system: [], turn: [], leftOut: [], sources: [], feedSeq: 7 };

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await freshDatabase();
  const settings = { connection: database.url, applicationName: 'test', leaseSeconds: 30 };
  pool = createPool(settings, () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function agentOf(model: string): Agent {
  return {
    role: 'assistant',
    model: { id: model, stream: () => Promise.reject(new Error('not asked')) as never },
    preamble: 'You help.',
    roleFile: null,
    guide: null,
    teamFiles: [],
    skills: async () => [],
    tools: () => Promise.reject(new Error('not asked')),
    permissions: [],
    limits: {},
  };
}

const packs = {
  instructions: ({ preamble }: Agent) => [
    { kind: 'role', text: preamble, source: { kind: 'text', name: 'role assistant' } },
  ],
  read: async () => ({
    ...NO_PACK,
    turn: [{ kind: 'activity', text: 'Nothing changed.', source: { kind: 'text', name: 'recent activity' } }],
  }),
} as unknown as Packs;

/** The request that a run makes in this state. */
async function requestIn(state: ThreadState, threadId: string, runId: string, answer: string, model: string) {
  const { request } = await assembleRequest({
    ...state,
    pool,
    packs,
    workspaceId: WORKSPACE,
    agent: agentOf(model),
    tools: [LS],
    runId,
    summaryLines: 5,
    historyTokens: 200,
    ratio: 1,
    wholeHistory: async () => state.history,
  } as unknown as Parameters<typeof assembleRequest>[0]);
  const { recipe, ...parts } = request;
  const sent = toModelRequest(request, { messageId: answer, signal: new AbortController().signal });
  const about = { workspaceId: WORKSPACE, threadId, purpose: 'answer' as const, answer, model };
  const recorded = recordRequest(new ContextTexts(pool), {
    ...about,
    ...parts,
    history: recipe,
    request: sent,
  });
  await recorded.stored;
  return manifestChanges([recorded]);
}

/** Stores the log in a thread of its own, each answer with the manifest of its request. */
async function store({ events }: RecordedLog): Promise<string> {
  const thread = uuidv7();
  await pool.query('insert into threads (id, workspace_id) values ($1, $2)', [thread, WORKSPACE]);
  let state = EMPTY;
  for (const event of events) {
    const row = { ...event, threadId: thread };
    const changes =
      event.type === 'message_start'
        ? await requestIn(state, thread, event.runId!, event.data.message, event.data.model)
        : [];
    const encoded = JSON.stringify(changes.map((change) => encode(change, CONTEXT_CHANGES)));
    await pool.query(INSERT_WITH_CHANGES, [...bind([row]), encoded, null]);
    state = foldAll(state, [event]);
  }
  return thread;
}

test.each(readLogs().map((log) => [log.name, log] as const))(
  'PLUS-8 the requests of the recorded log %s are rebuilt exactly',
  async (_name, log) => {
    const thread = await store(log);
    const manifests = await readManifests(pool, thread);
    expect(manifests).toHaveLength(log.events.filter(({ type }) => type === 'message_start').length);
    for (const manifest of manifests) {
      const { exact, problem, message, seq } = await rebuildContext(pool, manifest);
      expect({ seq, message, exact, problem }).toMatchObject({ exact: true, problem: null });
    }
  },
);
