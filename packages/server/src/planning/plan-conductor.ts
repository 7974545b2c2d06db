// Conducts the run of a plan: each step is a child run. The scheduler decides from the statuses of the steps which can start;
// a status changes in the same append as the child's start or end.
//
// - C1 Only an approved plan runs: if the plan changes after its approval, no further step starts until it is approved again.
// - C2 A step that is running in the rows but has no open child belongs to a run that has ended: it is pending again.

import { stepsOf, type AgentPlan, type PlanStep, type PlanStepStatus } from '@continuo/protocol';
import type { Queryable } from '../db/pool.ts';
import type { Conductor, ConductedEvent, EndedChild, Next, Spawn } from '../runs/children/conductor.ts';
import { readOutcomes } from '../runs/children/outcomes.ts';
import { newlyEnded, type QueuedRun } from '../runs/loop/decide.ts';
import type { RunState } from '../threads/fold.ts';
import { agentMessage, agentsPlanPath, MERGE, type NamedAgent } from './agents.ts';
import { expecting, planEnds, planStarts, stepEnds, stepStarts } from './expectations.ts';
import { DEFAULT_CAP, scheduleSteps, type Statuses } from './schedule.ts';
import { planningMessage, repairMessage, type PlanningTeam } from './planning-message.ts';
import { stepMessage, type StepInput } from './step-message.ts';
import type { PlanKey, StepChange } from './steps.ts';
import { planSummary } from './summary.ts';

interface PlanDirective {
  /** Null: a planner writes the plan first. */
  readonly plan_id: string | null;
  /** How many steps run at the same time. */
  readonly cap?: number;
  /** The role that writes the plan, and its team; the planner if they are absent. */
  readonly planner?: string;
  readonly team?: string;
  /** The agents of `parallel_agents`: the server writes their plan, and the chat's role merges their results. */
  readonly agents?: readonly NamedAgent[];
  /** The planner is asked for steps that several agents work on at the same time. */
  readonly at_once?: boolean;
}

interface StepRow {
  readonly status: PlanStepStatus;
  readonly runId: string | null;
}

interface PlanAgenda {
  readonly key: PlanKey;
  readonly plan: AgentPlan | null;
  readonly steps: ReadonlyMap<string, StepRow>;
  readonly isApproved: boolean;
  /** The first problem that keeps the plan from running; null if there is none. */
  readonly problem: string | null;
  /** This run works on the plan: what people change about it wakes the run. */
  readonly isOwn: boolean;
  /** Another open run works on the plan. */
  readonly isTaken: boolean;
  readonly cap: number;
}

/** Reads a plan as it is now, for its hash. */
type ReadPlan = (
  key: PlanKey,
) => Promise<{ readonly plan: AgentPlan | null; readonly problem: string | null }>;

interface PlanConductorOptions {
  readonly readPlan: ReadPlan;
  /** Announces changed steps, and has the plan's file show them. */
  readonly changed: (key: PlanKey) => void;
  readonly readTeam: (workspaceId: string, name: string) => Promise<PlanningTeam | null>;
  /** Writes the plan of named agents, unless it is there, and returns its id. The request that named them has approved it. */
  readonly prepare: (queued: QueuedRun, goal: string, agents: readonly NamedAgent[]) => Promise<string>;
  /** The run works on the plan from here on. */
  readonly attach: (key: PlanKey, runId: string) => Promise<void>;
}

export function createPlanConductor({
  readPlan,
  changed,
  readTeam,
  prepare,
  attach,
}: PlanConductorOptions): Conductor<PlanAgenda | null> {
  const known = new PlanCache(readPlan);
  return {
    read: async (client, queued) => {
      const { plan_id, agents, cap = agents?.length ?? DEFAULT_CAP, planner = PLANNER } = directiveOf(queued);
      const planId = agents
        ? await prepare(queued, await readGoal(client, queued.message.id), agents)
        : (plan_id ?? (await findWrittenPlan(client, queued.id, planner)));
      if (planId === null) return null;
      const key = { workspaceId: queued.workspaceId, planId };
      const agenda = await readAgenda(client, known, queued.id, key, cap);
      if (agenda.isOwn || agenda.isTaken) return agenda;
      await attach(key, queued.id);
      // Read again: from here on, what people change wakes the run.
      return readAgenda(client, known, queued.id, key, cap);
    },
    next: (run, queued, agenda) => {
      const { plan_id, agents } = directiveOf(queued);
      const planning = plan_id === null && !agents ? nextOfPlanning(run, queued, agenda) : null;
      return planning ?? nextOfPlan(run, queued, agenda!);
    },
    message: async (client, queued, agenda, { child }) => {
      if (child === PLANNING || child === REPAIR) {
        const { team: name, at_once } = directiveOf(queued);
        const team = name === undefined ? null : await readTeam(queued.workspaceId, name);
        const text =
          child === PLANNING
            ? planningMessage(await readGoal(client, queued.message.id), team, at_once)
            : repairMessage(agenda?.problem ?? null, team);
        return { text };
      }
      const { plan, steps } = agenda!;
      const step = stepsOf(plan!).find(({ id }) => id === stepOf(child))!;
      const inputs = await readInputs(client, plan!, step, steps);
      const untrusted = inputs.some(({ outcome }) => outcome?.untrusted) ? true : undefined;
      const { agents } = directiveOf(queued);
      if (!agents) return { text: stepMessage(plan!, step, inputs), untrusted };
      const goal = await readGoal(client, queued.message.id);
      const { path } = agentsPlanPath(queued.id);
      return { text: agentMessage({ goal, path, step, agents, inputs }), untrusted };
    },
    closing: async (client, _run, queued, agenda) => {
      const summary = await summarizePlan(client, agenda!);
      const merged = directiveOf(queued).agents ? await readMerged(client, agenda!) : null;
      return merged === null ? summary : `${merged}\n\n${summary}`;
    },
    abandon: (_run, _queued, agenda, status) => ({
      events: [],
      changes: agenda
        ? [
            {
              kind: 'plan_end',
              plan: agenda.key.planId,
              plan_state: status === 'error' ? 'failed' : 'stopped',
            },
          ]
        : [],
    }),
    paused: (agenda, isPaused) =>
      agenda
        ? [{ kind: 'plan_pause', plan: agenda.key.planId, plan_state: isPaused ? 'paused' : 'running' }]
        : [],
    appended: (_queued, agenda) => {
      if (agenda) changed(agenda.key);
    },
  };
}

function directiveOf(queued: QueuedRun): PlanDirective {
  return queued.family!.directive as unknown as PlanDirective;
}

const PLANNER = 'planner';
const PLANNING = '~plan';
const REPAIR = '~repair';

/** The planner writes the plan; if it has problems, one repair is asked for. Null when there is a plan to run. */
function nextOfPlanning(run: RunState, queued: QueuedRun, agenda: PlanAgenda | null): Next | null {
  const ended = new Set(newlyEnded(run, queued).map((each) => each.run));
  const stateOf = (child: string) => {
    const found = run.children.find((each) => each.child === child);
    return found?.status === 'open' && !ended.has(found.run) ? 'open' : (found && 'ended') || 'none';
  };
  const spawn = (child: string, title: string): Next => ({
    kind: 'act',
    events: [],
    spawn: [{ child, title, role: directiveOf(queued).planner ?? PLANNER }],
  });
  if (stateOf(PLANNING) === 'none') return spawn(PLANNING, 'Write the plan');
  if (stateOf(PLANNING) === 'open' || stateOf(REPAIR) === 'open') return { kind: 'wait' };
  if (agenda && agenda.problem === null) return null;
  if (stateOf(REPAIR) === 'none') return spawn(REPAIR, 'Repair the plan');
  return fail('plan_not_sound', agenda?.problem ?? 'the planner wrote no plan');
}

/** The plan that the run's planner wrote last; null if it wrote none. */
async function findWrittenPlan(client: Queryable, runId: string, planner: string): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>({
    name: 'find_written_plan',
    text: `select n.id from runs c join events e on e.thread_id = c.thread_id and e.run_id = c.id and e.type = 'file_updated'
        join entities n on n.id = (e.data ->> 'file')::uuid and n.kind = 'plan'
      where c.parent_run = $1 and c.role = $2 order by e.at desc, e.seq desc limit 1`,
    values: [runId, planner],
  });
  return rows[0]?.id ?? null;
}

async function readGoal(client: Queryable, messageId: string): Promise<string> {
  const { rows } = await client.query<{ goal: string }>(
    "select readable(content) ->> 'text' as goal from messages where id = $1",
    [messageId],
  );
  return rows[0]!.goal;
}

/** A child's name begins with its step's id; a retried step has children `id`, `id#2`, `id#3`. */
function stepOf(child: string): string {
  return child.split('#')[0]!;
}

function nextOfPlan(run: RunState, queued: QueuedRun, agenda: PlanAgenda): Next {
  const { plan, key, problem } = agenda;
  if (agenda.isTaken) return fail('plan_running', 'another run works on this plan; stop it first');
  if (!plan || problem !== null) return fail('plan_not_sound', problem ?? 'the plan cannot be read');
  const news = newlyEnded(run, queued);
  const ended = new Map(
    news.map((each) => [childOf(run, each), each] as const).filter(([child]) => !child.startsWith('~')),
  );
  const statuses = currentStatuses(run, agenda, ended);
  const { start, block, unblock, done } = scheduleSteps(plan, statuses, agenda.cap);
  const change = changeOf(plan, key);
  const stepNamed = (id: string) => stepsOf(plan).find((each) => each.id === id);
  const isWell =
    done && stepsOf(plan).every(({ id }) => ['done', 'skipped'].includes(statuses.get(id) ?? 'pending'));
  const learned = [...ended].flatMap(([child, { status, error }]) => {
    const step = stepNamed(stepOf(child));
    return step ? [stepEnds(step, status === 'done', error?.error)] : [];
  });
  const events: ConductedEvent[] = [
    ...[...ended].map(([child, each]) => change(endOfStep(stepOf(child), each))),
    ...block.map(({ id, by }) =>
      change({ step_id: id, from: ['pending', 'blocked'], to: 'blocked', error: `the step “${by}” failed` }),
    ),
    ...unblock.map((id) => change({ step_id: id, from: ['blocked'], to: 'pending' })),
  ];
  if (done) {
    const all = [...learned, planEnds(plan, isWell)];
    return {
      kind: 'finish',
      events: [...events, ...expecting(all).map((event) => ({ event }))],
      changes: [{ kind: 'plan_end', plan: key.planId, plan_state: isWell ? 'done' : 'failed' }],
    };
  }
  const spawn = agenda.isApproved ? start.map((id) => spawnOf(run, agenda, plan, id, change)) : [];
  if (spawn.length === 0 && events.length === 0 && news.length === 0) return { kind: 'wait' };
  const isFirst = spawn.length > 0 && run.children.every(({ child }) => child.startsWith('~'));
  const expected = [
    ...learned,
    ...(isFirst ? [planStarts(plan)] : []),
    ...(agenda.isApproved ? start.flatMap((id) => stepNamed(id) ?? []).map(stepStarts) : []),
  ];
  return { kind: 'act', events: [...events, ...expecting(expected).map((event) => ({ event }))], spawn };
}

function fail(code: string, error: string): Next {
  return { kind: 'fail', events: [], code, error };
}

function childOf(run: RunState, { run: id }: EndedChild): string {
  return run.children.find((each) => each.run === id)!.child;
}

/** The rows' statuses, with what has just ended, and without steps that no open child carries out. */
function currentStatuses(
  run: RunState,
  { steps }: PlanAgenda,
  ended: ReadonlyMap<string, EndedChild>,
): Statuses {
  const open = new Set(
    run.children
      .filter(({ status, child }) => status === 'open' && !ended.has(child))
      .map(({ child }) => stepOf(child)),
  );
  const now = new Map(
    [...steps].map(
      ([id, { status }]) => [id, status === 'running' && !open.has(id) ? 'pending' : status] as const,
    ),
  );
  for (const [child, { status }] of ended) now.set(stepOf(child), status === 'done' ? 'done' : 'failed');
  return now;
}

function endOfStep(step_id: string, { status, error, cost }: EndedChild): StepChange {
  const well = status === 'done';
  const why = error?.error ?? (status === 'canceled' ? 'the step’s run was canceled' : undefined);
  return {
    step_id,
    from: ['running'],
    to: well ? 'done' : 'failed',
    ...(!well && why !== undefined && { error: why }),
    ...(cost !== null && { cost }),
  };
}

/** A changed step as its event, with the change of its row. */
function changeOf(plan: AgentPlan, { planId }: PlanKey): (change: StepChange) => ConductedEvent {
  const steps = stepsOf(plan);
  const places = new Map(steps.map(({ id }, index) => [id, index]));
  return (change) => {
    const { step_id, to: status, run, chat, error } = change;
    const index = places.get(step_id) ?? -1;
    const data = {
      plan: planId,
      step: index + 1,
      step_id,
      status,
      ...(index >= 0 && { title: steps[index]!.title }),
      ...(chat !== undefined && { chat }),
      ...(run !== undefined && { run }),
      ...(error !== undefined && { error }),
    };
    return {
      event: { type: 'plan_step', data },
      change: { kind: 'plan_steps', plan: planId, steps: [change] },
    };
  };
}

/** Executors in plan files that are built-in roles under another name. */
const ROLES: Readonly<Record<string, string>> = { research: 'researcher' };

function spawnOf(
  run: RunState,
  { steps }: PlanAgenda,
  plan: AgentPlan,
  id: string,
  change: (change: StepChange) => ConductedEvent,
): Spawn {
  const { title, executor, tools } = stepsOf(plan).find((each) => each.id === id)!;
  const before = run.children.filter(({ child }) => stepOf(child) === id).length;
  // The row may still say `running` for a run that has ended.
  const from = steps.get(id)?.status ?? 'pending';
  return {
    child: before === 0 ? id : `${id}#${before + 1}`,
    title,
    role: ROLES[executor] ?? executor,
    ...(tools && { tools }),
    events: ({ run: child, thread }) => [
      change({ step_id: id, from: [from], to: 'running', run: child, chat: thread }),
    ],
  };
}

async function readAgenda(
  client: Queryable,
  known: PlanCache,
  runId: string,
  key: PlanKey,
  cap: number,
): Promise<PlanAgenda> {
  const { planId } = key;
  const found = await known.read(client, key);
  const { rows } = await client.query<{ step_id: string; status: PlanStepStatus; run_id: string | null }>({
    name: 'read_statuses_of_plan',
    text: 'select step_id, status, run_id from plan_steps where plan_id = $1 and position is not null',
    values: [planId],
  });
  const state = await client.query<{ approved: boolean; own: boolean; taken: boolean }>({
    name: 'read_plan_of_run',
    text: `select approved_hash is not distinct from hash and hash is not null as approved,
        coalesce(p.run_id = $2, false) as own, exists (select from runs r where r.id = p.run_id and r.id <> $2 and r.status in ('queued', 'running')) as taken
      from plans p where p.id = $1`,
    values: [planId, runId],
  });
  return {
    key,
    ...found,
    cap,
    isApproved: state.rows[0]?.approved ?? false,
    isOwn: state.rows[0]?.own ?? false,
    isTaken: state.rows[0]?.taken ?? false,
    steps: new Map(rows.map(({ step_id, status, run_id }) => [step_id, { status, runId: run_id }])),
  };
}

async function readInputs(
  client: Queryable,
  plan: AgentPlan,
  { inputs = [] }: PlanStep,
  steps: PlanAgenda['steps'],
): Promise<readonly StepInput[]> {
  const runs = inputs.flatMap((id) => steps.get(id)?.runId ?? []);
  const outcomes = await readOutcomes(client, runs);
  return inputs.map((id) => {
    const { status, runId } = steps.get(id) ?? { status: 'pending', runId: null };
    const { title } = stepsOf(plan).find((each) => each.id === id)!;
    return { title, outcome: status === 'skipped' || runId === null ? null : outcomes.get(runId)! };
  });
}

async function summarizePlan(client: Queryable, { plan, key }: PlanAgenda): Promise<string> {
  const { rows } = await client.query<{
    step_id: string;
    status: PlanStepStatus;
    run_id: string | null;
    error: string | null;
  }>('select step_id, status, run_id, error from plan_steps where plan_id = $1 and position is not null', [
    key.planId,
  ]);
  const outcomes = await readOutcomes(
    client,
    rows.flatMap(({ run_id, status }) => (run_id !== null && status === 'done' ? [run_id] : [])),
  );
  const byId = new Map(rows.map((row) => [row.step_id, row]));
  return planSummary(
    plan!.goal,
    stepsOf(plan!).map(({ id, title }) => {
      const { status = 'pending', run_id = null, error = null } = byId.get(id) ?? {};
      return { title, status, error, files: (run_id !== null && outcomes.get(run_id)?.files) || [] };
    }),
  );
}

/** The text that merges the results of parallel agents; null if the merging failed or was skipped. */
async function readMerged(client: Queryable, { key }: PlanAgenda): Promise<string | null> {
  const { rows } = await client.query<{ run_id: string | null }>(
    "select run_id from plan_steps where plan_id = $1 and step_id = $2 and status = 'done'",
    [key.planId, MERGE],
  );
  const run = rows[0]?.run_id;
  return (run && (await readOutcomes(client, [run])).get(run)?.text) || null;
}

/** Keeps the parsed plans by their hash: ticks do not change a plan. */
class PlanCache {
  readonly #readPlan: ReadPlan;
  readonly #kept = new Map<
    string,
    { readonly hash: string; readonly found: Awaited<ReturnType<ReadPlan>> }
  >();

  constructor(readPlan: ReadPlan) {
    this.#readPlan = readPlan;
  }

  async read(client: Queryable, key: PlanKey): Promise<Awaited<ReturnType<ReadPlan>>> {
    const { rows } = await client.query<{
      hash: string | null;
      problems: readonly unknown[];
      is_read: boolean;
    }>({
      name: 'read_plan_hash',
      text: `select p.hash, p.problems, p.file_version = f.version as is_read
        from plans p join files f on f.id = p.id where p.id = $1 and p.workspace_id = $2`,
      values: [key.planId, key.workspaceId],
    });
    const row = rows[0];
    const kept = this.#kept.get(key.planId);
    if (row?.is_read && row.problems.length === 0 && kept?.hash === row.hash) return kept.found;
    const found = await this.#readPlan(key);
    if (row?.is_read && row.hash !== null && found.problem === null)
      this.#keep(key.planId, { hash: row.hash, found });
    return found;
  }

  #keep(
    planId: string,
    entry: { readonly hash: string; readonly found: Awaited<ReturnType<ReadPlan>> },
  ): void {
    if (this.#kept.size >= KEPT_PLANS) this.#kept.clear();
    this.#kept.set(planId, entry);
  }
}

const KEPT_PLANS = 100;
