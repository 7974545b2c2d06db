// Explains what a run waits for, as a sentence and as fields, from its log and its rows.

import type { Call, EventType, Why } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import { readPending, type PendingAssignment } from '../../executors/rows.ts';
import { EXECUTOR_PREFIX } from '../../models/executor-model.ts';
import { pendingApproval, type RunState } from '../../threads/fold.ts';
import type { StoredRun } from './read-runs.ts';
import { replay } from '../loop/replay.ts';

interface Place {
  workspace_id: string;
  queue_position: number;
  owner: string | null;
  pod_name: string | null;
  heartbeat_age_ms: number | null;
  lease_seconds: number | null;
  attempts: number;
  /** The run's last event, and how long ago it was. */
  last_type: EventType | null;
  quiet_ms: number | null;
  /** How long ago the latest model call began; null before the model's first answer. */
  asked_ms: number | null;
  /** How many files of a mass removal wait for a person's decision; null if none do. */
  held_files: number | null;
  /** No pod is to claim the thread now. */
  is_parked: boolean;
}

/** What the explanation needs from other concepts. */
interface Known {
  /** The MCP servers of a workspace that a pod is starting, as far as this pod knows. */
  readonly startingOn: (podId: string, workspaceId: string) => readonly string[];
  /** The path of the plan that the run works on, if it waits for a person's approval. */
  readonly waitingPlan: (runId: string) => Promise<string | null>;
}

export async function explain(
  client: Queryable,
  run: StoredRun,
  { startingOn, waitingPlan }: Known,
): Promise<Why> {
  const { rows } = await client.query<Place>({
    name: 'why',
    text: `select
        (select count(*)::int from runs b where b.thread_id = t.id and b.ordinal < $2 and b.status in ('queued', 'running')) as queue_position,
        t.workspace_id, t.owner, p.name as pod_name,
        (extract(epoch from clock_timestamp() - p.heartbeat_at) * 1000)::int as heartbeat_age_ms,
        extract(epoch from p.lease)::float8 as lease_seconds,
        (select count(distinct e.attempt)::int from events e
          where e.thread_id = t.id and e.seq > $4 and e.run_id = $3 and e.type = 'state') as attempts,
        l.type as last_type, (extract(epoch from clock_timestamp() - l.at) * 1000)::float8 as quiet_ms,
        (extract(epoch from clock_timestamp() - m.at) * 1000)::float8 + coalesce((m.data ->> 'waited_ms')::float8, 0) as asked_ms,
        (select h.files from held_removals h where h.workspace_id = t.workspace_id and h.decision is null) as held_files,
        t.owner is null and coalesce(t.wake_at > clock_timestamp(), true) as is_parked
      from threads t left join pods p on p.id = t.owner
      left join lateral (select e.type, e.at from events e where e.thread_id = t.id and e.seq > $4 and e.run_id = $3
        order by e.seq desc limit 1) l on true
      left join lateral (select e.at, e.data from events e where e.thread_id = t.id and e.seq > $4 and e.run_id = $3
        and e.type = 'message_start' order by e.seq desc limit 1) m on true
      where t.id = $1`,
    values: [run.thread_id, run.ordinal, run.id, run.startAfter],
  });
  const place = rows[0]!;
  const state = run.status === 'running' ? (await replay(client, run.thread_id)).state.run : null;
  const starting = place.owner === null ? [] : startingOn(place.owner, place.workspace_id);
  const isExecutor = run.ended_at === null && run.model.startsWith(EXECUTOR_PREFIX);
  const pending = isExecutor ? await readPending(client, run.id) : null;
  const children = state !== null && place.is_parked ? await openChildren(client, state) : [];
  const isIdle = state !== null && place.is_parked && children.length === 0;
  const plan = isIdle ? await waitingPlan(run.id) : null;
  const waits = waitsFor(run, place, { state, starting, pending, children, plan });
  const pod =
    place.pod_name === null || place.owner === null
      ? null
      : {
          id: place.owner,
          name: place.pod_name,
          heartbeat_age_ms: place.heartbeat_age_ms!,
          lease_seconds: place.lease_seconds!,
        };
  return {
    run_id: run.id,
    status: run.status,
    ...waits,
    sentence: waits.sentence + heldInWords(place.held_files),
    queue_position: run.status === 'queued' ? place.queue_position : null,
    blocked_by: run.blocked_by,
    pod: run.ended_at === null ? pod : null,
    attempt: place.attempts,
    step: state ? stepOf(state) : null,
    since: sinceOf(waits.waits_for, place, state),
    cancel_requested_at: run.cancel_requested_at,
  };
}

function waitsFor(
  run: StoredRun,
  place: Place,
  {
    state,
    starting,
    pending,
    children,
    plan,
  }: {
    readonly state: RunState | null;
    readonly starting: readonly string[];
    readonly pending: PendingAssignment | null;
    /** The titles of open child runs, if the run is parked. */
    readonly children: readonly string[];
    readonly plan: string | null;
  },
): Pick<Why, 'waits_for' | 'sentence'> {
  if (run.status === 'error')
    return {
      waits_for: 'nothing',
      sentence: `The run failed: ${(run.error?.error ?? 'unknown').replace(/\.$/, '')}. POST …/retry runs it again.`,
    };
  if (run.ended_at !== null) return { waits_for: 'nothing', sentence: `The run is ${run.status}.` };
  if (run.cancel_requested_at !== null)
    return { waits_for: 'cancel', sentence: 'The run was canceled and is being stopped.' };
  if (run.status === 'queued') {
    if (place.queue_position > 0) {
      const runs = place.queue_position === 1 ? 'one run' : `${place.queue_position} runs`;
      return { waits_for: 'run', sentence: `The run waits for ${runs} before it in its thread.` };
    }
    return {
      waits_for: 'pod',
      sentence: place.pod_name
        ? `Pod ${place.pod_name} is about to start the run.`
        : 'The run waits for a pod with free capacity; pods with the role serve take no runs.',
    };
  }
  if (state?.rest?.for === 'resume')
    return { waits_for: 'resume', sentence: 'The run is paused; POST …/resume on its chat resumes it.' };
  if (state?.rest?.for === 'approvals')
    return {
      waits_for: 'approval',
      sentence: `The run waits for approval of ${state.calls.flatMap(askedInWords).join(', ')}.`,
    };
  if (state?.rest?.for === 'answer')
    return {
      waits_for: 'approval',
      sentence: `${stepOf(state)
        .calls.map(({ tool }) => tool)
        .join(', ')} waits for a person's answer.`,
    };
  if (children.length > 0)
    return { waits_for: 'children', sentence: `The run waits for ${childrenInWords(children)}.` };
  if (plan !== null)
    return { waits_for: 'approval', sentence: `The run waits for approval of the plan ${plan}.` };
  if (place.pod_name === null)
    return {
      waits_for: 'takeover',
      sentence: 'The pod that owned the run is gone; another pod is about to take it over.',
    };
  const on = `on pod ${place.pod_name}`;
  const step = state && stepOf(state);
  if (step?.kind === 'model' && starting.length === 0) {
    const soFar = seconds(modelMs(place, state!));
    if (pending) return { waits_for: 'model', sentence: executorInWords(pending, soFar) };
    const answers = state!.open !== null && (place.last_type === 'token' || place.last_type === 'reasoning');
    return {
      waits_for: 'model',
      sentence: answers
        ? `The model ${run.model} is answering (${step.message}), ${soFar} so far, ${on}.`
        : `The run waits for ${run.model}, ${soFar} so far, ${on}.`,
    };
  }
  if (step?.kind === 'tool')
    return {
      waits_for: 'tool',
      sentence: `The run waits for ${step.calls.map((call) => call.tool).join(', ')} ${on}.`,
    };
  if (starting.length > 0) {
    const servers = `MCP ${starting.length === 1 ? 'server' : 'servers'} ${starting.join(', ')}`;
    const sentence = `The run waits for ${servers} to start ${on}; it continues without servers that do not start in time.`;
    return { waits_for: 'step', sentence };
  }
  return { waits_for: 'step', sentence: `The run is between two steps ${on}.` };
}

async function openChildren(client: Queryable, { children }: RunState): Promise<readonly string[]> {
  const open = children.flatMap(({ status, thread }) => (status === 'open' ? [thread] : []));
  if (open.length === 0) return [];
  const { rows } = await client.query<{ title: string | null }>(
    'select title from threads where id = any ($1) order by id',
    [open],
  );
  return rows.map(({ title }) => title ?? 'a run without a title');
}

/** How many child runs a sentence names, and how much of each name. */
const NAMED_CHILDREN = 3;
const NAME_CHARACTERS = 80;

function childrenInWords(titles: readonly string[]): string {
  const named = titles
    .slice(0, NAMED_CHILDREN)
    .map((title) =>
      title.length > NAME_CHARACTERS ? `${title.slice(0, NAME_CHARACTERS).toWellFormed()}…` : title,
    );
  const more = titles.length - named.length;
  const runs = titles.length === 1 ? 'its child run' : `${titles.length} child runs`;
  return `${runs}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function executorInWords(
  { executor, isClaimed, claimedBy, isWaitedFor, lastWaited }: PendingAssignment,
  soFar: string,
): string {
  if (isClaimed) {
    const by = claimedBy === null ? '' : ` (${claimedBy})`;
    return `The executor ${executor}${by} is writing the answer, ${soFar} so far.`;
  }
  const waits = `The run waits for an executor ${executor}, ${soFar} so far`;
  if (isWaitedFor) return `${waits}; one is asking for work and is about to claim the answer.`;
  const asked =
    lastWaited === null
      ? 'no program has ever asked for work under that name'
      : `no program has asked for work under that name since ${lastWaited.toISOString()}`;
  return `${waits}; ${asked}. Start one, or cancel the run.`;
}

/** The run does not wait for held removals, but a person who asks about the run may be missing its changes in the folder. */
function heldInWords(files: number | null): string {
  if (files === null) return '';
  const those = files === 1 ? '1 file that disappeared' : `${files} files that disappeared`;
  return ` ${those} from the workspace's folder at once ${files === 1 ? 'is' : 'are'} kept until a person decides: open Files in the console.`;
}

/** How long the model call has taken so far. Until the model begins to answer, the time counts from the run's last event. */
function modelMs(place: Place, state: RunState): number {
  return Math.max(0, (state.open === null ? place.quiet_ms : place.asked_ms) ?? 0);
}

function seconds(ms: number): string {
  return ms < 60_000
    ? `${Math.floor(ms / 1000)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

/** When the current wait began; null if the log does not tell. */
function sinceOf(waitsFor: Why['waits_for'], place: Place, state: RunState | null): string | null {
  if (state === null) return null;
  if (waitsFor === 'model') return new Date(Date.now() - modelMs(place, state)).toISOString();
  const rests = waitsFor === 'approval' || waitsFor === 'resume';
  return rests && state.rest ? new Date(state.rest.since).toISOString() : null;
}

/** Every call has ended and no final answer exists yet: the next step calls the model. */
function asksModel({ calls, last, unanswered }: RunState): boolean {
  return (
    calls.every(({ stage }) => stage.kind === 'ended') && (calls.length > 0 || last === null || unanswered)
  );
}

/** For example `remove /notes/x.md`. */
function askedInWords(call: Call): string[] {
  const asked = pendingApproval(call);
  return asked ? [[call.tool, ...asked.paths].join(' ')] : [];
}

function stepOf(state: RunState): NonNullable<Why['step']> {
  const calls = state.calls
    .filter((call) => call.stage.kind === 'started')
    .map(({ call, tool }) => ({ call, tool }));
  const message = state.last?.message ?? null;
  if (calls.length > 0) return { kind: 'tool', message, calls };
  const asked = state.calls.flatMap((each) => {
    const { call, tool } = each;
    const approval = pendingApproval(each)?.approval;
    return approval === undefined ? [] : [{ call, tool, approval }];
  });
  if (asked.length > 0) return { kind: 'approval', message, calls: asked };
  const isModel = state.open !== null || asksModel(state);
  return { kind: isModel ? 'model' : 'between', message: state.open, calls };
}
