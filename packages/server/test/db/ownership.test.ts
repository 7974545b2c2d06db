// Which folder may write which table. A table belongs to one concept: only sql/functions/<concept>/ and src/<concept>/ insert,
// update or delete its rows. Reads may join tables of the layers to the left, and of the reader's own layer. What breaks
// these rules today is listed with a reason; a line that is no longer needed must be removed.

import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyDatabase } from '@continuo/testkit/fixtures';
import { migrate } from '../../src/db/migrate.ts';

const root = join(import.meta.dirname, '../..');

/** The layers of the server, from the table that lint enforces for imports. */
async function readLayers(): Promise<readonly (readonly string[])[]> {
  const config = await readFile(join(root, '../../oxlint.config.ts'), 'utf8');
  const table = /^const layers[^=]*= (\[.*?^\]);/ms.exec(config)![1]!;
  return JSON.parse(table.replaceAll("'", '"').replaceAll(/,(\s*\])/g, '$1')) as string[][];
}

const LAYERS = await readLayers();

const OWNER: Readonly<Record<string, string>> = {
  migrations: 'db',
  definitions: 'db',
  events: 'log',
  workspaces: 'workspaces',
  changes: 'workspaces',
  secrets: 'workspaces',
  files: 'files',
  file_versions: 'files',
  indexed_texts: 'files',
  vocabulary: 'files',
  chunks: 'files',
  unindexed: 'files',
  held_removals: 'files',
  executions: 'sandbox',
  assignments: 'executors',
  assignment_events: 'executors',
  executor_states: 'executors',
  executors: 'executors',
  execution_changes: 'sandbox',
  entities: 'knowledge',
  entity_versions: 'knowledge',
  edges: 'knowledge',
  projects: 'knowledge',
  document_places: 'knowledge',
  parentless_documents: 'knowledge',
  published: 'content',
  scheduled_publications: 'content',
  read_keys: 'content',
  publications: 'content',
  shown_files: 'content',
  mcp_servers: 'mcp',
  threads: 'threads',
  messages: 'threads',
  message_index: 'threads',
  sessions: 'threads',
  notes: 'threads',
  audit_settings: 'threads',
  context_texts: 'context',
  context_manifests: 'context',
  token_ratios: 'context',
  pods: 'actors',
  plans: 'planning',
  plan_steps: 'planning',
  runs: 'runs',
  approvals: 'runs',
  thread_snapshots: 'runs',
  idempotency_keys: 'runs',
  budgets: 'runs',
  reservations: 'runs',
  schedules: 'automation',
  schedule_times: 'automation',
  webhooks: 'automation',
  webhook_deliveries: 'automation',
  triggers: 'automation',
};

interface Access {
  readonly file: string;
  readonly concept: string;
  readonly table: string;
}

const WRITE = /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?)\s+(?:only\s+)?(\w+)/gi;
const READ = /(?<!delete\s+)\b(?:from|join|using)\s+(?:only\s+)?(\w+)/gi;

function* accesses(file: string, concept: string, text: string, pattern: RegExp): Generator<Access> {
  const seen = new Set<string>();
  for (const [, table] of text.matchAll(pattern)) {
    if (!Object.hasOwn(OWNER, table!) || seen.has(table!)) continue;
    seen.add(table!);
    yield { file, concept, table: table! };
  }
}

async function scan(pattern: RegExp): Promise<Access[]> {
  const found: Access[] = [];
  for await (const file of glob('sql/functions/*/*.sql', { cwd: root })) {
    const text = (await readFile(join(root, file), 'utf8')).replaceAll(/--.*$/gm, '');
    found.push(...accesses(file, file.split('/')[2]!, text, pattern));
  }
  for await (const file of glob('src/*/**/*.ts', { cwd: root })) {
    const text = (await readFile(join(root, file), 'utf8')).replaceAll(
      /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm,
      '',
    );
    found.push(...accesses(file, file.split('/')[1]!, text, pattern));
  }
  return found;
}

const layerOf = (concept: string) => LAYERS.findIndex((layer) => layer.includes(concept));
const listed = (all: readonly Access[]) => all.map(({ file, table }) => `${file} ${table}`).toSorted();

test('every table has an owner, which is a folder of the server', async () => {
  const database = await emptyDatabase();
  try {
    await migrate({ connection: database.url, applicationName: 'continuo-ownership', leaseSeconds: 5 });
    const { rows } = await database.pool.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'",
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(OWNER).toSorted());
  } finally {
    await database.drop();
  }
  expect(Object.values(OWNER).filter((concept) => layerOf(concept) === -1)).toEqual([]);
});

test('a folder writes its own tables and no others', async () => {
  const foreign = (await scan(WRITE)).filter(({ concept, table }) => OWNER[table] !== concept);
  expect(listed(foreign)).toEqual(Object.keys(FOREIGN_WRITES).toSorted());
});

test('a folder reads its own tables and those of layers to its left', async () => {
  const foreign = (await scan(READ)).filter(
    ({ concept, table }) => OWNER[table] !== concept && layerOf(OWNER[table]!) > layerOf(concept),
  );
  expect(listed(foreign)).toEqual(Object.keys(FOREIGN_READS).toSorted());
});

const FACT =
  'a fact sets the thread’s wake_at in the statement that stores it, so that the thread cannot miss it';
const CLAIM = 'owner, attempt and wake_at of a thread are its claim, which is the work of pods';
const MESSAGE = 'a person’s message and its run are stored together';
const CHAT = 'renaming, archiving and removing a chat are requests to its owner, like the other facts';
const LIST =
  'lists of chats and threads show their runs and approvals; one statement keeps the page consistent';

/** Each line is `file table`, with the reason. */
const FOREIGN_WRITES: Readonly<Record<string, string>> = {
  'sql/functions/actors/pod_tick.sql threads': CLAIM,
  'sql/functions/planning/wake_plan.sql threads': FACT,
  'src/actors/pod.ts threads': CLAIM,
  'sql/functions/runs/on_append_release.sql threads': CLAIM,
  'sql/functions/runs/decide_approval.sql threads': FACT,
  'sql/functions/runs/end_family.sql threads': FACT,
  'sql/functions/runs/enqueue_run.sql messages': MESSAGE,
  'sql/functions/runs/enqueue_run.sql threads': FACT,
  'sql/functions/runs/on_append_pause_children.sql threads': FACT,
  'sql/functions/runs/on_append_spawn.sql threads': 'a child run and its thread are created together',
  'sql/functions/runs/open_chat.sql threads': 'a chat and its first run are created together',
  'sql/functions/runs/steer_queued.sql messages': MESSAGE,
  'sql/functions/runs/steer_queued.sql threads': FACT,
  'sql/functions/runs/stop_thread.sql threads': FACT,
  'sql/functions/runs/take_facts.sql threads': FACT,
  'src/runs/facts/cancel.ts threads': FACT,
  'src/runs/facts/pause.ts threads': FACT,
  'src/runs/facts/ping.ts threads': FACT,
  'src/runs/facts/edit-state.ts threads': FACT,
  'src/runs/facts/change-chat.ts threads': CHAT,
};

const FOREIGN_READS: Readonly<Record<string, string>> = {
  'src/executors/rows.ts runs':
    'the statement of an executor itself checks that its run is open and not canceled',
  'sql/functions/threads/chat_messages.sql runs': 'the first event of a run bounds the scan of the log',
  'src/threads/chats/chat-heads.ts runs': LIST,
  'sql/functions/threads/search_messages.sql runs':
    'a message without an event of its own begins with its run',
  'src/threads/chats/read-chats.ts approvals': LIST,
  'src/threads/chats/read-chats.ts runs': LIST,
  'src/threads/client-ids.ts runs': 'a client’s ids of runs and threads are looked up together',
  'src/threads/read-threads.ts runs': LIST,
  'src/workspaces/workspaces.ts files': 'a workspace is shown with the number of its files',
  'src/workspaces/workspaces.ts held_removals': 'a workspace is shown with the removals that are held back',
};
