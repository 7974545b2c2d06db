// The `ag-ui` dialect: a run as events of AG-UI 1.0, with the client's ids for the thread and the run. A response ends with an
// interrupt when people must answer; the next response, which the client sees as another run, continues.
//
// When a message is superseded, its parts end, and a snapshot of the messages leaves it out.

import type { Usage } from '@continuo/engine';
import type { EventData, LogEvent, SessionState } from '../events.ts';
import { sharedAtFirst, statusOf, withFile, withShared, type SharedState } from './ag-ui-state.ts';
import { supersededBy } from '../fold/messages.ts';
import { addUsage } from '../fold/usage.ts';
import {
  callName,
  inputOrText,
  NO_CALLS,
  openApprovals,
  responseCallsAfter,
  type ResponseCalls,
} from './calls.ts';
import type { DialectFrame, RunDialect } from './dialect.ts';

export interface AgUiRun {
  readonly threadId: string;
  readonly runId: string;
  /** The conversation as the client sent it; null if it did not send one. */
  readonly messages: readonly unknown[] | null;
}

export interface AgUiState {
  readonly runId: string | null;
  /** The id of the current message, once it has text. */
  readonly text: string | null;
  /** The reasoning of the current message; the last piece may still be open. */
  readonly thoughts: readonly { readonly id: string; readonly content: string }[];
  readonly thinking: boolean;
  /** How many pieces of reasoning have begun so far. */
  readonly reasonings: number;
  readonly calls: ResponseCalls;
  readonly session: SessionState;
  readonly shared: SharedState;
  /** The run's complete messages, newest first. */
  readonly told: SentMessages | null;
  readonly usage: readonly { readonly model: string; readonly usage: Usage }[];
  readonly final: EventData['final'] | null;
}

interface SentMessages {
  readonly message: Readonly<Record<string, unknown>>;
  readonly before: SentMessages | null;
}

const initial: AgUiState = {
  runId: null,
  text: null,
  thoughts: [],
  thinking: false,
  reasonings: 0,
  calls: NO_CALLS,
  session: 'running',
  shared: sharedAtFirst(''),
  told: null,
  usage: [],
  final: null,
};

type Projection = readonly [AgUiState, readonly DialectFrame[]];

export function agUi(run: AgUiRun): RunDialect<AgUiState> {
  const { threadId, runId, messages } = run;
  const opening = ({ shared }: AgUiState) => [
    event('RUN_STARTED', { threadId, runId }),
    event('STATE_SNAPSHOT', { snapshot: shared }),
  ];
  const finished = (fields: object) => event('RUN_FINISHED', { threadId, runId, ...fields });
  return {
    name: 'ag-ui',
    initial,
    step: (before, logged) => {
      const calls = responseCallsAfter(before.calls, logged);
      const state = calls === before.calls ? before : { ...before, calls };
      if (state.runId !== null || logged.runId === null)
        return project(state, logged, { finished, messages });
      const begun = { ...state, runId: logged.runId, shared: sharedAtFirst(logged.runId) };
      const [next, frames] = project(begun, logged, { finished, messages });
      return [next, [...opening(begun), ...frames]];
    },
    opening: (state) => (state.runId === null ? [] : opening(state)),
    closing: (state) => {
      const interrupts = openApprovals(state.calls).map((question) => interrupt(state, question));
      return interrupts.length === 0 ? null : [finished({ outcome: { type: 'interrupt', interrupts } })];
    },
  };
}

interface ProjectionContext {
  readonly finished: (fields: object) => DialectFrame;
  readonly messages: readonly unknown[] | null;
}

function project(state: AgUiState, logged: LogEvent, { finished, messages }: ProjectionContext): Projection {
  switch (logged.type) {
    case 'token':
      return token(state, logged.data);
    case 'reasoning':
      return reasoning(state, logged.data.text);
    case 'message_start':
      return [state, []];
    case 'message_end':
      return whole(state, logged.data);
    case 'tool_start': {
      const { call, tool, title } = logged.data;
      const value = { call: callName(state.runId!, call), tool, ...(title !== undefined && { title }) };
      return called(state, [custom('tool_start', value)]);
    }
    case 'tool_end':
      return result(state, logged.data);
    case 'approval': {
      if (logged.data.kind !== 'question') return called(state, []);
      const value = { ...logged.data, call: callName(state.runId!, logged.data.call) };
      return called(state, [custom('approval', value)]);
    }
    case 'approval_end': {
      const value = { ...logged.data, call: callName(state.runId!, logged.data.call) };
      return called(state, [custom('approval_end', value)]);
    }
    case 'state':
      return changed(state, logged.data, { finished, messages });
    case 'message':
      return steered(state, logged.data);
    case 'usage':
      return used(state, logged.data);
    case 'file_updated': {
      const [shared, frames] = withFile(state.shared, logged.data);
      return [{ ...state, shared }, frames];
    }
    case 'operation':
    case 'entity_patch': {
      const value = { ...logged.data, call: callName(state.runId!, logged.data.call) };
      return [state, [custom(logged.type, value)]];
    }
    case 'session': {
      const session = logged.data.to_state;
      return share({ ...state, session }, { status: statusOf(state.calls, session) });
    }
    case 'context_usage':
    case 'mode':
    case 'plan_step':
    case 'verdict':
    case 'titled':
    case 'rewound':
    case 'child_start':
    case 'child_end':
    case 'summary':
    case 'summary_failed':
    case 'agent_state_delta':
      return [state, [custom(logged.type, logged.data)]];
    case 'final':
      return [{ ...state, final: logged.data }, []];
    case 'canceled': {
      const [next, frames] = ended(state, 'canceled');
      return [next, [...frames, finished({ outcome: { type: 'cancelled' }, ...usageOf(state) })]];
    }
    case 'error': {
      const { error, code } = logged.data;
      const [next, frames] = ended(state, 'error');
      return [next, [...frames, event('RUN_ERROR', { message: error, code, ...usageOf(state) })]];
    }
  }
}

function token(state: AgUiState, { text, message }: EventData['token']): Projection {
  const messageId = messageName(state, message);
  const content = event('TEXT_MESSAGE_CONTENT', { messageId, delta: text });
  if (state.text !== null && !state.thinking) return [state, [content]];
  const [closed, ends] = closeThought(state);
  const begins = state.text === null ? [event('TEXT_MESSAGE_START', { messageId, role: 'assistant' })] : [];
  return [{ ...closed, text: messageId }, [...ends, ...begins, content]];
}

function reasoning(state: AgUiState, delta: string): Projection {
  const { thoughts, thinking, reasonings, runId } = state;
  const last = thinking ? thoughts.at(-1)! : null;
  const messageId = last?.id ?? `${runId}/r${reasonings + 1}`;
  const content = event('REASONING_MESSAGE_CONTENT', { messageId, delta });
  const thought = { id: messageId, content: (last?.content ?? '') + delta };
  if (last) return [{ ...state, thoughts: [...thoughts.slice(0, -1), thought] }, [content]];
  return [
    { ...state, thoughts: [...thoughts, thought], thinking: true, reasonings: reasonings + 1 },
    [
      event('REASONING_START', { messageId }),
      event('REASONING_MESSAGE_START', { messageId, role: 'reasoning' }),
      content,
    ],
  ];
}

function whole(state: AgUiState, { message, text }: EventData['message_end']): Projection {
  const [closed, ends] = close(state);
  const id = messageName(state, message);
  const toolCalls = state.calls.all.map(({ call, tool, input }) => ({
    id: callName(state.runId!, call),
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(inputOrText(input)) },
  }));
  const announced = toolCalls.flatMap(({ id: toolCallId, function: { name, arguments: delta } }) => [
    event('TOOL_CALL_START', { toolCallId, toolCallName: name, parentMessageId: id }),
    event('TOOL_CALL_ARGS', { toolCallId, delta }),
    event('TOOL_CALL_END', { toolCallId }),
  ]);
  const thoughts = state.thoughts.map((thought) => ({ ...thought, role: 'reasoning' }));
  const said = { id, role: 'assistant', content: text, ...(toolCalls.length > 0 && { toolCalls }) };
  const told = text === '' && toolCalls.length === 0 ? thoughts : [...thoughts, said];
  return [{ ...closed, thoughts: [], told: told.reduce(tell, state.told) }, [...ends, ...announced]];
}

function result(state: AgUiState, { call, output }: EventData['tool_end']): Projection {
  const toolCallId = callName(state.runId!, call);
  const id = `${toolCallId}/result`;
  const content = JSON.stringify(output);
  const told = tell(state.told, { id, role: 'tool', toolCallId, content });
  const frame = event('TOOL_CALL_RESULT', { messageId: id, toolCallId, content, role: 'tool' });
  return called({ ...state, told }, [frame]);
}

function called(state: AgUiState, frames: readonly DialectFrame[]): Projection {
  const [next, delta] = share(state, { status: statusOf(state.calls, state.session) });
  return [next, [...frames, ...delta]];
}

function changed(
  state: AgUiState,
  change: EventData['state'],
  { finished, messages }: ProjectionContext,
): Projection {
  if (change.status === 'done') {
    const { text, sources } = state.final ?? { text: '', sources: [] };
    const [next, frames] = ended(state, 'done');
    const finish = { outcome: { type: 'success' }, result: { text, sources }, ...usageOf(state) };
    return [next, [...frames, finished(finish)]];
  }
  // Errors and cancels were already reported by their own events.
  if (change.status !== 'running') return [state, []];
  const [next, delta] = share(state, { attempt: change.attempt });
  const superseded = supersededBy(change);
  if (superseded === null) return [next, delta];
  const [closed, ends] = close(next);
  // Without the conversation, a snapshot would make the client delete its messages.
  if (messages === null) {
    const frame = custom('superseded', { messageId: messageName(state, superseded.message) });
    return [{ ...closed, thoughts: [] }, [...ends, frame, ...delta]];
  }
  const snapshot = [...messages, ...toldIn(state.told)];
  return [
    { ...closed, thoughts: [] },
    [...ends, event('MESSAGES_SNAPSHOT', { messages: withoutThoughts(snapshot, state) }), ...delta],
  ];
}

/** Clients keep all their reasoning unless the snapshot contains some. So the superseded reasoning is sent as an empty message. */
function withoutThoughts(snapshot: readonly unknown[], { thoughts }: AgUiState): readonly unknown[] {
  const [first] = thoughts;
  if (!first || snapshot.some((message) => (message as { role?: unknown }).role === 'reasoning'))
    return snapshot;
  return [...snapshot, { id: first.id, role: 'reasoning', content: '' }];
}

function steered(state: AgUiState, { id, content, steer }: EventData['message']): Projection {
  if (!steer) return [state, []];
  const frames = [
    event('TEXT_MESSAGE_START', { messageId: id, role: 'user' }),
    ...(content === '' ? [] : [event('TEXT_MESSAGE_CONTENT', { messageId: id, delta: content })]),
    event('TEXT_MESSAGE_END', { messageId: id }),
  ];
  return [{ ...state, told: tell(state.told, { id, role: 'user', content }) }, frames];
}

function used(state: AgUiState, { model, usage, cost }: EventData['usage']): Projection {
  const others = state.usage.filter((each) => each.model !== model);
  const own = state.usage.find((each) => each.model === model);
  const all = { model, usage: addUsage(own?.usage ?? null, usage) };
  return share(
    { ...state, usage: [...others, all] },
    {
      usage: addUsage(state.shared.usage, usage),
      ...(cost !== null && { cost: (state.shared.cost ?? 0) + cost }),
    },
  );
}

/** Usage in AG-UI's form, one entry per model. */
function usageOf({ usage }: AgUiState): { usage?: readonly object[] } {
  if (usage.length === 0) return {};
  return {
    usage: usage.map(({ model, usage: { input, output, cachedInput, cacheWrite, reasoning: thought } }) => ({
      model,
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      ...(cachedInput !== undefined && { cachedInputTokens: cachedInput }),
      ...(cacheWrite !== undefined && { cacheWriteInputTokens: cacheWrite }),
      ...(thought !== undefined && { reasoningTokens: thought }),
    })),
  };
}

const ANSWER = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    input: { type: 'object', description: 'What the call is made with, if not with its own input.' },
    comment: { type: 'string', description: 'The model is told.' },
  },
  required: ['approved'],
} as const;
const ANSWER_TO_UNKNOWN = {
  type: 'object',
  properties: { approved: { type: 'boolean', description: 'Make the call again, or go on without it.' } },
  required: ['approved'],
} as const;

function interrupt({ runId }: AgUiState, question: EventData['approval']): object {
  const { approval, kind, call, tool, input, paths, reason, expires_at } = question;
  return {
    id: approval,
    reason: kind === 'call' ? 'tool_call' : 'unknown_outcome',
    message: reason,
    toolCallId: callName(runId!, call),
    responseSchema: kind === 'call' ? ANSWER : ANSWER_TO_UNKNOWN,
    ...(expires_at !== undefined && { expiresAt: expires_at }),
    metadata: { tool, input, paths },
  };
}

function ended(state: AgUiState, status: SharedState['status']): Projection {
  const [closed, ends] = close(state);
  const [next, delta] = share(closed, { status });
  return [next, [...ends, ...delta]];
}

function close(state: AgUiState): Projection {
  const [closed, ends] = closeThought(state);
  if (closed.text === null) return [closed, ends];
  return [{ ...closed, text: null }, [...ends, event('TEXT_MESSAGE_END', { messageId: closed.text })]];
}

function closeThought(state: AgUiState): Projection {
  if (!state.thinking) return [state, []];
  const messageId = state.thoughts.at(-1)!.id;
  return [
    { ...state, thinking: false },
    [event('REASONING_MESSAGE_END', { messageId }), event('REASONING_END', { messageId })],
  ];
}

function share(state: AgUiState, change: Partial<SharedState>): Projection {
  const [shared, frames] = withShared(state.shared, change);
  return [shared === state.shared ? state : { ...state, shared }, frames];
}

function tell(told: SentMessages | null, message: SentMessages['message']): SentMessages {
  return { message, before: told };
}

function toldIn(told: SentMessages | null): SentMessages['message'][] {
  const messages: SentMessages['message'][] = [];
  for (let each = told; each; each = each.before) messages.push(each.message);
  return messages.reverse();
}

function messageName({ runId }: AgUiState, message: string): string {
  return `${runId}/${message}`;
}

function custom(name: string, value: unknown): DialectFrame {
  return event('CUSTOM', { name, value });
}

function event(type: string, fields: object): DialectFrame {
  return { data: { type, ...fields } };
}
