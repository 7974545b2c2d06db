// Applies an event to its turn.

import type { Usage } from '@continuo/engine';
import type { EventData } from '../events.ts';
import { toWireInput } from '../fold/arguments.ts';
import { callAfter, callsIn, newCall, type Call, type CallStage } from '../fold/calls.ts';
import { readableParts, supersededBy } from '../fold/messages.ts';
import { addSpent, type Spent } from '../fold/usage.ts';
import type {
  AnswerItem,
  CallItem,
  ChildItem,
  Item,
  PlanItem,
  TrackedCall,
  Turn,
  ViewEvent,
} from './view.ts';

export function newTurn(event: ViewEvent): Turn {
  return {
    run: event.run_id!,
    version: 0,
    firstSeq: event.seq,
    lastSeq: event.seq,
    whole: event.run_seq === 1,
    state: 'running',
    attempt: 1,
    takeovers: 0,
    startedAt: event.at,
    endedAt: null,
    error: null,
    canceled: null,
    sources: [],
    usage: { input: 0, output: 0 },
    cost: null,
    forgotten: null,
    items: [],
    answers: new Map(),
    calls: new Map(),
  };
}

/** Everything that changes gets this `version`. A turn whose beginning is missing shows what it has. */
export function applyToTurn(turn: Turn, event: ViewEvent, version: number): void {
  turn.version = version;
  turn.lastSeq = event.seq;
  switch (event.type) {
    case 'token':
      return say(turn, event, version, 'text', event.data);
    case 'reasoning':
      return say(turn, event, version, 'thought', event.data);
    case 'message':
      return personSays(turn, event, version);
    case 'message_start':
      turn.answers.set(event.data.message, newAnswer(turn, event, version, event.data));
      return;
    case 'message_end':
      return endAnswer(turn, event, version);
    case 'tool_start': {
      const { input, title } = event.data;
      Object.assign(advance(turn, event, version), { input, title: title ?? null, startedAt: event.at });
      return;
    }
    case 'tool_end':
      return endCall(turn, event, version);
    case 'approval':
      return ask(turn, event, version);
    case 'approval_end':
      return decide(turn, event, version);
    case 'file_updated': {
      const { call, ...file } = event.data;
      const known = turn.calls.get(call)?.item;
      known?.files.push(file);
      if (known) known.version = version;
      return;
    }
    case 'operation': {
      const { call, ...operation } = event.data;
      const known = turn.calls.get(call)?.item;
      if (!known) return;
      if (operation.status !== 'start' && known.operations.at(-1)?.status === 'start') known.operations.pop();
      known.operations.push(operation);
      known.version = version;
      return;
    }
    case 'usage':
      spend(turn, event.data);
      return;
    case 'state':
      return event.data.status === 'running'
        ? goOn(turn, event.data, version)
        : end(turn, event.data.status, event.at, version);
    case 'session':
      turn.state = event.data.to_state === 'paused' ? 'paused' : 'running';
      return settle(turn);
    case 'final':
      turn.sources = event.data.sources;
      return;
    case 'error':
      turn.error = event.data;
      return;
    case 'canceled':
      turn.canceled = event.data.reason;
      return;
    case 'mode':
      turn.mode = event.data;
      return;
    case 'rewound':
    case 'context_usage':
    case 'titled':
    case 'summary':
    case 'summary_failed':
    case 'agent_state_delta':
    case 'entity_patch':
      return;
    case 'plan_step':
      return changeStep(turn, event, version);
    case 'verdict': {
      const { seq, at, data: verdict } = event;
      turn.items.push({ kind: 'verdict', version, seq, at, forgotten: false, verdict });
      return;
    }
    case 'child_start':
      newChild(turn, event, version, event.data);
      return;
    case 'child_end':
      return endChild(turn, event, version);
  }
}

type Of<T extends ViewEvent['type']> = Extract<ViewEvent, { type: T }>;

function say(
  turn: Turn,
  event: ViewEvent,
  version: number,
  kind: 'text' | 'thought',
  { text, message }: EventData['token'],
): void {
  let answer = turn.answers.get(message);
  if (answer === undefined) {
    answer = newAnswer(turn, event, version, { message, model: null });
    turn.answers.set(message, answer);
  }
  answer.version = version;
  const last = answer.parts[answer.parts.length - 1];
  if (last?.kind === kind) last.text += text;
  else answer.parts.push({ kind, text, from: event.at });
}

function personSays(turn: Turn, event: Of<'message'>, version: number): void {
  const { id, content, files = [], steer = false } = event.data;
  const { seq, at } = event;
  turn.items.push({ kind: 'person', version, seq, at, forgotten: false, id, content, files, steer });
}

function newAnswer(
  turn: Turn,
  { seq, at }: ViewEvent,
  version: number,
  { message, model }: { readonly message: string; readonly model: string | null },
): AnswerItem {
  const answer: AnswerItem = {
    kind: 'answer',
    version,
    seq,
    at,
    forgotten: false,
    message,
    model,
    parts: [],
    state: 'streaming',
    error: null,
    endedAt: null,
  };
  turn.items.push(answer);
  return answer;
}

/** Completes a message. Its streamed parts stay unless they are incomplete. Its calls follow. */
function endAnswer(turn: Turn, event: Of<'message_end'>, version: number): void {
  const { message, text, parts, ended, model, error } = event.data;
  const answer = turn.answers.get(message) ?? newAnswer(turn, event, version, { message, model: null });
  turn.answers.set(message, answer);
  const said = answer.parts.reduce((all, part) => (part.kind === 'text' ? all + part.text : all), '');
  if (said !== text) {
    answer.parts = readableParts(parts).map(({ kind, text: read }) => ({
      kind: kind === 'text' ? 'text' : 'thought',
      text: read,
      from: null,
    }));
  }
  Object.assign(answer, { version, state: ended, endedAt: event.at, error: error ?? null });
  answer.model = model ?? answer.model;
  // All calls of the previous message have ended, and a provider may reuse their ids.
  turn.calls.clear();
  for (const call of callsIn(parts)) track(turn, event, version, call);
}

/** Adds an item for a call that the turn does not show yet. */
function track(turn: Turn, { seq, at }: ViewEvent, version: number, call: Call): TrackedCall {
  const item: CallItem = {
    kind: 'call',
    version,
    seq,
    at,
    forgotten: false,
    call: call.call,
    tool: call.tool,
    title: null,
    input: toWireInput(call.requested),
    state: 'planned',
    output: undefined,
    success: null,
    outcome: null,
    startedAt: null,
    endedAt: null,
    files: [],
    operations: [],
    approvals: [],
  };
  const tracked = { item, call };
  turn.items.push(item);
  turn.calls.set(call.call, tracked);
  return tracked;
}

function changeStep(turn: Turn, { seq, at, data }: Of<'plan_step'>, version: number): void {
  const known = turn.items.find((item) => item.kind === 'plan' && item.plan === data.plan) as
    | PlanItem
    | undefined;
  const { plan } = data;
  const item: PlanItem = known ?? { kind: 'plan', version, seq, at, forgotten: false, plan, steps: [] };
  if (!known) turn.items.push(item);
  const { steps } = item;
  const place = steps.findIndex(({ step_id }) => step_id === data.step_id);
  item.version = version;
  if (place === -1) {
    const next = steps.findIndex(({ step }) => step > data.step);
    steps.splice(next === -1 ? steps.length : next, 0, data);
    return;
  }
  // Only the start of a step names its chat and its run.
  const { chat, run } = steps[place]!;
  steps[place] = { ...(chat !== undefined && { chat }), ...(run !== undefined && { run }), ...data };
}

function newChild(
  turn: Turn,
  { seq, at }: ViewEvent,
  version: number,
  { child, run, thread, title, role }: ChildStart,
): ChildItem {
  const item: ChildItem = {
    kind: 'child',
    version,
    seq,
    at,
    forgotten: false,
    child,
    run,
    thread,
    title,
    role,
    state: 'running',
    text: null,
    error: null,
    usage: null,
    cost: null,
    files: [],
    endedAt: null,
  };
  turn.items.push(item);
  return item;
}

type ChildStart = Pick<ChildItem, 'child' | 'run' | 'thread' | 'title' | 'role'>;

function endChild(turn: Turn, event: Of<'child_end'>, version: number): void {
  const { status, text, error, usage, cost, files, ...start } = event.data;
  const known = turn.items.findLast((item) => item.kind === 'child' && item.run === start.run);
  const item = known ?? newChild(turn, event, version, { ...start, title: null, role: null });
  Object.assign(item, {
    version,
    state: status,
    text: text ?? null,
    error: error ?? null,
    usage: usage ?? null,
    cost: cost ?? null,
    files: files ?? [],
    endedAt: event.at,
  });
}

/** Advances a call by one of its events. A call whose message is on an older page begins here. */
function advance(
  turn: Turn,
  event: Of<'tool_start' | 'tool_end' | 'approval' | 'approval_end'>,
  version: number,
): CallItem {
  const { call: id, tool } = event.data;
  const value = 'input' in event.data ? event.data.input : undefined;
  const tracked = turn.calls.get(id) ?? track(turn, event, version, newCall(id, tool, { ok: true, value }));
  tracked.call = callAfter(tracked.call, event);
  tracked.item.state = stateOf(tracked.call.stage);
  tracked.item.version = version;
  settle(turn);
  return tracked.item;
}

function stateOf(stage: CallStage): CallItem['state'] {
  switch (stage.kind) {
    case 'requested':
    case 'allowed':
    case 'refused':
      return 'planned';
    case 'waiting':
      return 'waiting';
    case 'started':
      return stage.question === null ? 'running' : 'waiting';
    case 'ended':
      return 'ended';
  }
}

function endCall(turn: Turn, event: Of<'tool_end'>, version: number): void {
  const item = advance(turn, event, version);
  const { output, success, outcome } = event.data;
  Object.assign(item, { output, success, outcome: outcome ?? null, endedAt: event.at });
  const asked = item.approvals.at(-1);
  if (asked?.decision === null) Object.assign(asked, { decision: 'canceled', decidedAt: event.at });
}

function ask(turn: Turn, event: Of<'approval'>, version: number): void {
  const { approval: id, kind, input, paths, reason, schema, expires_at } = event.data;
  advance(turn, event, version).approvals.push({
    id,
    kind,
    input,
    paths,
    reason,
    ...(schema && { schema }),
    askedAt: event.at,
    expiresAt: expires_at ?? null,
    decision: null,
    comment: null,
    decidedAt: null,
  });
}

function decide(turn: Turn, event: Of<'approval_end'>, version: number): void {
  const item = advance(turn, event, version);
  const { approval: id, decision, input, comment } = event.data;
  const approval = item.approvals.find((each) => each.id === id);
  if (approval) Object.assign(approval, { decision, comment: comment ?? null, decidedAt: event.at });
  if (decision === 'edit') item.input = input;
}

/** Updates whether the turn only waits for people. */
function settle(turn: Turn): void {
  if (turn.state !== 'running' && turn.state !== 'waiting') return;
  let isWaiting = false;
  for (const { item } of turn.calls.values()) {
    if (item.state === 'planned' || item.state === 'running') return void (turn.state = 'running');
    isWaiting ||= item.state === 'waiting';
  }
  turn.state = isWaiting ? 'waiting' : 'running';
}

/** The run continues: on another pod, on the same pod after a wait, or by beginning its message again. */
function goOn(turn: Turn, data: Extract<EventData['state'], { status: 'running' }>, version: number): void {
  // No pod holds a run that waits for its child runs, or for the approval of a plan.
  const waits = turn.items.some(({ kind }) => kind === 'child' || kind === 'plan');
  if (turn.state === 'running' && data.attempt > turn.attempt && !waits) turn.takeovers += 1;
  turn.attempt = data.attempt;
  const superseded = supersededBy(data);
  const left = superseded === null ? undefined : turn.answers.get(superseded.message);
  if (left) Object.assign(left, { version, state: 'superseded', error: superseded?.cause ?? null });
}

function end(turn: Turn, status: 'done' | 'error' | 'canceled', at: string | null, version: number): void {
  turn.state = status;
  turn.endedAt = at;
  for (const answer of turn.answers.values()) {
    if (answer.state === 'streaming') Object.assign(answer, { version, state: 'interrupted', endedAt: at });
  }
}

/** Adds the usage of a model call, in place. */
export function spend(total: { readonly usage: Usage; cost: number | null }, more: Spent): void {
  const { usage, cost } = addSpent(total, more);
  Object.assign(total.usage, usage);
  total.cost = cost;
}

/** Marks what a rewind removed: the whole turn, or the items after `to`. */
export function forgetAfter(turn: Turn, to: number, version: number): void {
  if (turn.firstSeq > to) return forget(turn, 'rewound', version);
  for (const item of turn.items) {
    if (item.seq <= to || item.forgotten) continue;
    mark(item, version);
    turn.version = version;
  }
}

/** Marks a turn that models no longer see. `rewound` takes precedence over `retried`. */
export function forget(turn: Turn, why: 'rewound' | 'retried', version: number): void {
  if (turn.forgotten === why || turn.forgotten === 'rewound') return;
  turn.forgotten = why;
  turn.version = version;
}

function mark(item: Item, version: number): void {
  item.forgotten = true;
  item.version = version;
}
