// What an event changes in its turn.

import type { MessagePart, Usage } from '@continuo/engine';
import type { EventData } from '../events.ts';
import { type AnswerItem, type CallItem, type Item, type Turn, type ViewEvent } from './view.ts';

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

/** Whatever changes gets the `version`. A turn whose beginning is missing makes do with what it is told. */
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
      const call = touched(turn, event, version);
      const { input, title } = event.data;
      Object.assign(call, { input, title: title ?? null, state: 'running', startedAt: event.at });
      return settle(turn);
    }
    case 'tool_end':
      return endCall(turn, event, version);
    case 'approval':
      return ask(turn, event, version);
    case 'approval_end':
      return decide(turn, event, version);
    case 'file_updated': {
      const { call, ...file } = event.data;
      const known = turn.calls.get(call);
      known?.files.push(file);
      if (known) known.version = version;
      return;
    }
    case 'usage':
      add(turn, event.data);
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
    case 'rewound':
    case 'context_usage':
    case 'titled':
      return;
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

/** The whole message; what came piece by piece stays, unless it is not all. Its calls are next. */
function endAnswer(turn: Turn, event: Of<'message_end'>, version: number): void {
  const { message, text, parts, ended, model, error } = event.data;
  const answer = turn.answers.get(message) ?? newAnswer(turn, event, version, { message, model: null });
  turn.answers.set(message, answer);
  const said = answer.parts.reduce((all, part) => (part.kind === 'text' ? all + part.text : all), '');
  if (said !== text) answer.parts = parts.flatMap(partOf);
  Object.assign(answer, { version, state: ended, endedAt: event.at, error: error ?? null });
  answer.model = model ?? answer.model;
  // Those of the message before have all ended, and a provider may give another call the same id.
  turn.calls.clear();
  for (const part of parts) {
    if (part.kind !== 'tool_call') continue;
    const input = part.input.kind === 'json' ? part.input.value : { raw: part.input.text };
    turn.calls.set(part.callId, newCall(turn, event, version, { call: part.callId, tool: part.tool, input }));
  }
}

function partOf(part: MessagePart): AnswerItem['parts'] {
  if (part.kind === 'tool_call' || part.text === '') return [];
  return [{ kind: part.kind === 'text' ? 'text' : 'thought', text: part.text, from: null }];
}

function newCall(
  turn: Turn,
  { seq, at }: ViewEvent,
  version: number,
  { call, tool, input }: { readonly call: string; readonly tool: string; readonly input: unknown },
): CallItem {
  const item: CallItem = {
    kind: 'call',
    version,
    seq,
    at,
    forgotten: false,
    call,
    tool,
    title: null,
    input,
    state: 'planned',
    output: undefined,
    success: null,
    outcome: null,
    startedAt: null,
    endedAt: null,
    files: [],
    approvals: [],
  };
  turn.items.push(item);
  return item;
}

function touched(
  turn: Turn,
  event: Of<'tool_start' | 'tool_end' | 'approval' | 'approval_end'>,
  version: number,
): CallItem {
  const { call, tool } = event.data;
  const input = 'input' in event.data ? event.data.input : undefined;
  const item = turn.calls.get(call) ?? newCall(turn, event, version, { call, tool, input });
  turn.calls.set(call, item);
  item.version = version;
  return item;
}

function endCall(turn: Turn, event: Of<'tool_end'>, version: number): void {
  const call = touched(turn, event, version);
  const { output, success, outcome } = event.data;
  Object.assign(call, { state: 'ended', output, success, outcome: outcome ?? null, endedAt: event.at });
  const asked = call.approvals.at(-1);
  if (asked?.decision === null) Object.assign(asked, { decision: 'canceled', decidedAt: event.at });
  settle(turn);
}

function ask(turn: Turn, event: Of<'approval'>, version: number): void {
  const call = touched(turn, event, version);
  const { approval: id, kind, input, paths, reason, schema, expires_at } = event.data;
  call.state = 'waiting';
  call.approvals.push({
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
  settle(turn);
}

function decide(turn: Turn, event: Of<'approval_end'>, version: number): void {
  const call = touched(turn, event, version);
  const { approval: id, decision, input, comment } = event.data;
  const approval = call.approvals.find((each) => each.id === id);
  if (approval) Object.assign(approval, { decision, comment: comment ?? null, decidedAt: event.at });
  if (decision === 'edit') call.input = input;
  call.state = approval?.kind === 'question' ? 'running' : 'planned';
  settle(turn);
}

/** Whether all that is left to do waits for people. */
function settle(turn: Turn): void {
  if (turn.state !== 'running' && turn.state !== 'waiting') return;
  let waiting = false;
  for (const call of turn.calls.values()) {
    if (call.state === 'planned' || call.state === 'running') return void (turn.state = 'running');
    waiting ||= call.state === 'waiting';
  }
  turn.state = waiting ? 'waiting' : 'running';
}

/** Another pod has the run, or the same one after a rest; or its message is begun again. */
function goOn(turn: Turn, data: Extract<EventData['state'], { status: 'running' }>, version: number): void {
  if (turn.state === 'running' && data.attempt > turn.attempt) turn.takeovers += 1;
  turn.attempt = data.attempt;
  const left = data.supersedes === undefined ? undefined : turn.answers.get(data.supersedes);
  if (left) Object.assign(left, { version, state: 'superseded', error: data.cause ?? null });
}

function end(turn: Turn, status: 'done' | 'error' | 'canceled', at: string | null, version: number): void {
  turn.state = status;
  turn.endedAt = at;
  for (const answer of turn.answers.values()) {
    if (answer.state === 'streaming') Object.assign(answer, { version, state: 'interrupted', endedAt: at });
  }
}

/** What it used. */
export function add(
  sum: { usage: Usage; cost: number | null },
  { usage, cost }: { readonly usage: Usage; readonly cost: number | null },
): void {
  const total = sum.usage as unknown as Record<string, number>;
  for (const [key, value] of Object.entries(usage)) total[key] = (total[key] ?? 0) + (value as number);
  if (cost !== null) sum.cost = (sum.cost ?? 0) + cost;
}

/** The chat was taken back to before the turn, or into it. */
export function forgetAfter(turn: Turn, to: number, version: number): void {
  if (turn.firstSeq > to) return forget(turn, 'rewound', version);
  for (const item of turn.items) {
    if (item.seq <= to || item.forgotten) continue;
    mark(item, version);
    turn.version = version;
  }
}

/** What is taken back is that first of all. */
export function forget(turn: Turn, why: 'rewound' | 'retried', version: number): void {
  if (turn.forgotten === why || turn.forgotten === 'rewound') return;
  turn.forgotten = why;
  turn.version = version;
}

function mark(item: Item, version: number): void {
  item.forgotten = true;
  item.version = version;
}
