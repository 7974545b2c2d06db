// Knowledge: what creating costs, a large project opened, and patches to many followers.

import {
  changeEntities,
  createKnowledge,
  createPacks,
  createPool,
  loadLayers,
  type Knowledge,
  type Pool,
} from '@continuo/server/internals';
import { Desk, WORKSPACE } from '../desk.ts';
import { dialects, streaming } from '../load/dialects.ts';
import { firstMark } from '../load/first-mark.ts';
import { connections } from '../load/request.ts';
import { pause } from '../measure/clock.ts';
import { treeCpuMs } from '../measure/cpu.ts';
import { digits, median, ratio } from '../measure/numbers.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { oneRun, PACE_MS } from './followers.ts';
import { judged, type Line, type Row } from './line.ts';

const TEXT = 'What it says, at some length. '.repeat(66);
const OPENINGS = 10;
/** Each of the four follows each other one as often, because what one leaves to be done later slows the next. */
const ORDERS = [
  [0, 1, 3, 2],
  [1, 2, 0, 3],
  [2, 3, 1, 0],
  [3, 0, 2, 1],
] as const;
/** Entities created by one statement. */
const BATCH = 500;

export const knowledge: Line = {
  key: 'knowledge',
  measure: async (stage) => [
    ...(await create(stage)),
    ...(await open(stage)),
    await stage.withPods('patches', 1, ([pod]) => patches(stage, pod!)),
  ],
};

async function create(stage: Stage): Promise<readonly Row[]> {
  const desk = await Desk.open(stage, 'knowledge');
  try {
    await desk.openMirror();
    await desk.follow();
    await desk.pool.query('create table raw (id serial primary key, data bytea not null)');
    const made = createKnowledge({ pool: desk.pool, workspaces: desk.workspaces });
    const { project } = await made.projects.create(desk.caller, { name: 'Bench' });
    const commit = (turn: number) =>
      desk.pool.query({
        name: 'raw',
        text: 'insert into raw (data) values ($1)',
        values: [Buffer.alloc(200, `${turn} `)],
      });
    const tasks = made.entities('task');
    const entity = (turn: number) =>
      tasks.create(desk.caller, { title: `Task ${turn}`, description: 'Something to do.' }, project.id);
    // As deep in folders as a document.
    const file = (turn: number) =>
      desk.write(`/notes/bench/files/file-${turn}.md`, Buffer.from(`${turn} ${TEXT}`), true);
    const document = async (turn: number) => {
      const seen = desk.nextChange();
      const input = { title: `Document ${turn}`, content: `${turn} ${TEXT}` };
      const change = await made.documents.create(desk.caller, input, project.id);
      await Promise.all([desk.workspaces.committed(WORKSPACE, change.files), seen]);
    };
    const works = [
      ['commit', commit],
      ['entity', entity],
      ['file', file],
      ['document', document],
    ] as const;
    const times: Record<(typeof works)[number][0], number[]> = {
      commit: [],
      entity: [],
      file: [],
      document: [],
    };
    const count = stage.many(100, 20) * stage.options.rounds;
    for (let turn = 0; turn < count + 5; turn += 1) {
      for (const index of ORDERS[turn % ORDERS.length]!) {
        const [name, work] = works[index];
        const began = performance.now();
        await work(turn);
        if (turn >= 5) times[name].push(performance.now() - began);
      }
    }
    const p50 = {
      commit: median(times.commit),
      entity: median(times.entity),
      file: median(times.file),
      document: median(times.document),
    };
    return [
      against(
        'knowledge-create',
        'creating a task, committed with its version and its event, p50, against one commit',
        2,
        [p50.entity, p50.commit],
      ),
      against(
        'knowledge-document',
        'creating a document of 2 KiB: committed, on disk and its patches seen, p50, against writing such a file',
        1.2,
        [p50.document, p50.file],
      ),
    ];
  } finally {
    await desk.close();
  }
}

function against(key: string, line: string, most: number, [ours, base]: readonly [number, number]): Row {
  return {
    key,
    line,
    target: `≤ ${most}×`,
    measured: `${ratio(ours / base)} (${digits(ours, 'ms')} against ${digits(base, 'ms')})`,
    verdict: judged(ours <= most * base),
  };
}

async function open(stage: Stage): Promise<readonly Row[]> {
  return stage.withPods('project', 1, async ([pod], databaseUrl) => {
    const settings = { connection: databaseUrl, applicationName: 'bench', leaseSeconds: 30 };
    const pool = createPool(settings, () => undefined);
    const [documents, entities] = [stage.many(2000, 200), stage.many(10_000, 1000)];
    const project = await fill(pool, documents, entities);
    const base = `${pod!.url}/api/v1/workspaces/default`;
    const shown = `a project of ${documents.toLocaleString('en')} documents and ${entities.toLocaleString('en')} entities`;
    const requests = [
      ['tree', `the tree of ${shown}, with metadata`, `projects/${project}/doc-structure?include=metadata`],
      ['board', `the board of ${shown}, 50 a column`, `tasks/board?project_id=${project}&limit=50`],
    ] as const;
    const rows: Row[] = [];
    for (const [name, what, path] of requests) {
      const spent = await cpu(stage, pod!, async () => {
        const response = await fetch(`${base}/${path}`);
        if (!response.ok) throw new Error(`${path} answered ${response.status}`);
        await response.arrayBuffer();
      });
      rows.push({
        key: `knowledge-${name}`,
        line: `CPU to open ${what}, in one request`,
        target: '≤ 100 ms',
        measured: digits(spent, 'ms'),
        verdict: judged(spent <= 100),
      });
    }
    rows.push(...(await assembly(stage, pool, project, shown)), ...(await firsts(stage, pod!, project)));
    await pool.end();
    return rows;
  });
}

/** What a model is told about a project: read from the database, and from a cache that is checked against the change feed. */
async function assembly(stage: Stage, pool: Pool, project: string, shown: string): Promise<readonly Row[]> {
  const layers = await loadLayers();
  const fresh = () => createPacks({ pool, layers, bus: null, now: Date.now });
  const cached = fresh();
  const agent = { role: 'assistant', preamble: '', guide: null, permissions: [] } as never;
  const ask = async (packs: ReturnType<typeof createPacks>): Promise<number> => {
    const began = performance.now();
    const message = 'What does document 17 say?';
    const scope = { project_id: project };
    const { system } = await packs.read({
      workspaceId: WORKSPACE,
      scope,
      agent,
      message,
      mode: undefined,
      ratio: 1,
    });
    if (system.length === 0) throw new Error('the pack is empty');
    return performance.now() - began;
  };
  const times: { cold: number[]; warm: number[] } = { cold: [], warm: [] };
  for (let turn = 0; turn < stage.many(60, 10); turn += 1) {
    times.cold.push(await ask(fresh()));
    times.warm.push(await ask(cached));
  }
  const row = (key: string, how: string, most: number, ms: number): Row => ({
    key,
    line: `context of ${shown}, ${how}, p50`,
    target: `≤ ${most} ms`,
    measured: digits(ms, 'ms'),
    verdict: judged(ms <= most),
  });
  return [
    row('context-cold', 'read from the database', 20, median(times.cold)),
    row('context-warm', 'cached', 2, median(times.warm)),
  ];
}

/** From the message to its first text and to the first call of a tool, in a chat about the project, with models that answer at once. */
async function firsts(stage: Stage, { url }: Pod, project: string): Promise<readonly Row[]> {
  const steps = [{ calls: [{ tool: 'list', input: { path: '/' } }] }, { text: 'Done.' }];
  const cases = [
    {
      what: 'text',
      most: 50,
      mark: dialects.continuo.delta,
      chat: { goal: 'What does document 17 say?', model: continuoModel('fake-0-20') },
    },
    {
      what: 'tool decision',
      most: 1000,
      mark: 'event: tool_start',
      chat: { goal: JSON.stringify({ steps }), model: 'offline/script' },
    },
  ];
  const agent = connections();
  const rows: Row[] = [];
  for (const { what, most, mark, chat } of cases) {
    const times: number[] = [];
    for (let turn = 0; turn < stage.many(30, 5) + 3; turn += 1) {
      const began = performance.now();
      const body = { ...chat, title: 'Bench', project_id: project };
      const { run } = await send<{ run: { id: string } }>(
        `${url}/api/v1/workspaces/default/chats`,
        'POST',
        body,
      );
      const signal = AbortSignal.timeout(60_000);
      const stream = await streaming({ agent, url: `${url}/api/runs/${run.id}/events`, signal });
      const ms = await firstMark(stream, { mark, began });
      if (turn >= 3) times.push(ms);
    }
    const p50 = median(times);
    rows.push({
      key: `context-first-${what.replace(' ', '-')}`,
      line: `first ${what} of a new chat about that project, p50`,
      target: `≤ ${most} ms`,
      measured: digits(p50, 'ms'),
      verdict: judged(p50 <= most),
    });
  }
  return rows;
}

/** A project with documents in folders of twenty, and tasks in all states, half of them with an edge. */
async function fill(pool: Pool, documents: number, entities: number): Promise<string> {
  const workspaces = { options: { maxFileBytes: 2 ** 25 }, stage: () => null };
  const made: Knowledge = createKnowledge({ pool, workspaces: workspaces as never });
  const author = { kind: 'person' } as const;
  const caller = { client: pool, workspaceId: WORKSPACE, author, quotaBytes: 2 ** 40 };
  const { project } = await made.projects.create(caller, { name: 'Large' });
  let parent: string | null = null;
  for (let n = 0; n < documents; n += 1) {
    const input = { title: `Document ${n}`, description: 'What it is about.', content: TEXT };
    const parent_id = n % 20 === 0 ? null : parent;
    const { entities: created } = await made.documents.create(caller, { ...input, parent_id }, project.id);
    if (parent_id === null) parent = created.find(({ kind }) => kind === 'document')!.id;
  }
  const states = ['todo', 'in_progress', 'blocked', 'done', 'canceled'];
  const tasks = made.entities('task');
  for (let done = 0; done < entities; done += BATCH) {
    const creations = Array.from({ length: Math.min(BATCH, entities - done) }, (_, n) =>
      tasks.creation(
        { title: `Task ${done + n}`, state: states[n % 5], description: TEXT.slice(0, 300) },
        project.id,
      ),
    );
    await changeEntities(caller, creations);
  }
  await pool.query('vacuum (analyze)');
  return project.id;
}

async function patches(stage: Stage, pod: Pod): Promise<Row> {
  const [count, frames] = [stage.many(1000, 200), stage.many(200, 40)];
  const times: { patches: number[]; tokens: number[] } = { patches: [], tokens: [] };
  for (let round = 0; round < stage.options.rounds; round += 1) {
    times.tokens.push((await oneRun(stage, pod, count, frames)).microseconds);
    times.patches.push(await patched(stage, pod, count, frames));
  }
  const [mine, tokens] = [median(times.patches), median(times.tokens)];
  return {
    key: 'knowledge-patches',
    line: `${count} followers of the change feed, CPU per delivered patch, against a token of a run`,
    target: '≤ 1.2×',
    measured: `${digits(mine, 'µs')}, token ${digits(tokens, 'µs')}: ${ratio(mine / tokens)}`,
    verdict: judged(mine <= tokens * 1.2),
  };
}

/** Microseconds of CPU for each patch that a follower got: what the same changes cost without followers is not counted. */
async function patched({ load, postgres }: Stage, pod: Pod, count: number, frames: number): Promise<number> {
  const base = `${pod.url}/api/v1/workspaces/default`;
  const { project } = await send<{ project: { id: string } }>(`${base}/projects`, 'POST', {
    name: 'Followed',
  });
  const task = await send<{ id: string }>(`${base}/tasks`, 'POST', {
    project_id: project.id,
    title: 'Followed',
  });
  const cpuMs = () => treeCpuMs(pod.program.pid) + treeCpuMs(postgres.postmaster);
  const change = async (name: string) => {
    const before = cpuMs();
    for (let frame = 0; frame < frames; frame += 1) {
      await send(`${base}/tasks/${task.id}`, 'PATCH', { title: `${name} ${frame}` });
      await pause(PACE_MS);
    }
    return () => cpuMs() - before;
  };
  const alone = (await change('Alone'))();
  await load.ask('follow', { url: `${base}/events?after=latest`, count, mark: '\nid: ' });
  await pause(500);
  const spent = await change('Followed');
  await load.ask('received', { frames });
  const followed = spent();
  await load.ask('leave');
  return ((followed - alone) * 1000) / (frames * count);
}

async function send<T>(url: string, method: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Milliseconds of CPU of the server and of Postgres for one request. */
async function cpu(stage: Stage, pod: Pod, work: () => Promise<unknown>): Promise<number> {
  for (let warm = 0; warm < 3; warm += 1) await work();
  const spent: number[] = [];
  for (let round = 0; round < stage.options.rounds; round += 1) {
    const total = () => treeCpuMs(pod.program.pid) + treeCpuMs(stage.postgres.postmaster);
    const before = total();
    for (let done = 0; done < OPENINGS; done += 1) await work();
    spent.push((total() - before) / OPENINGS);
  }
  return median(spent);
}
