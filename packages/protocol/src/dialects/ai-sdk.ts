// The `ai-sdk` dialect: a run as one message of the AI SDK's UI message stream, in the chunks of versions 6 and 7. The message
// has the run's id. A model call is a step; events without a chunk type of their own become `data-*` parts.
//
// A superseded step stays in the client's message, followed by `data-superseded`: the parts since the last `step-start` no
// longer count.

import type { StopReason, Usage } from '@continuo/engine';
import type { EventData, LogEvent } from '../events.ts';
import type { Call } from '../fold/calls.ts';
import { supersededBy } from '../fold/messages.ts';
import { addSpent } from '../fold/usage.ts';
import {
  callName,
  errorTextOf,
  inputOrText,
  NO_CALLS,
  responseCallsAfter,
  type ResponseCalls,
} from './calls.ts';
import type { DialectFrame, RunDialect } from './dialect.ts';

export interface AiSdkState {
  readonly runId: string | null;
  /** The message whose step is open. */
  readonly step: string | null;
  readonly part: { readonly kind: 'text' | 'reasoning'; readonly id: string } | null;
  /** How many parts have begun so far. */
  readonly parts: number;
  readonly calls: ResponseCalls;
  readonly reason: StopReason;
  readonly usage: Usage;
  readonly cost: number | null;
}

const initial: AiSdkState = {
  runId: null,
  step: null,
  part: null,
  parts: 0,
  calls: NO_CALLS,
  reason: 'end',
  usage: { input: 0, output: 0 },
  cost: null,
};

const FINISH_REASONS = {
  end: 'stop',
  tool_use: 'tool-calls',
  length: 'length',
  filtered: 'content-filter',
  other: 'other',
} as const satisfies Record<StopReason, string>;

export const aiSdk: RunDialect<AiSdkState> = {
  name: 'ai-sdk',
  initial,
  step: (before, event) => {
    const calls = responseCallsAfter(before.calls, event);
    const state = calls === before.calls ? before : { ...before, calls };
    if (before.runId !== null || event.runId === null) return project(state, event);
    const begun = { ...state, runId: event.runId };
    const [next, frames] = project(begun, event);
    return [next, [...start(begun), ...frames]];
  },
  opening: (state) => (state.runId === null ? [] : start(state)),
  closing: ({ calls }) => (calls.wait ? [chunk('finish', { finishReason: 'tool-calls' })] : null),
};

type Projection = readonly [AiSdkState, readonly DialectFrame[]];

function project(state: AiSdkState, event: LogEvent): Projection {
  switch (event.type) {
    case 'token':
      return piece(state, 'text', event.data);
    case 'reasoning':
      return piece(state, 'reasoning', event.data);
    case 'message_start': {
      const [closed, ends] = closeStep(state);
      return [{ ...closed, step: event.data.message }, [...ends, chunk('start-step')]];
    }
    case 'message_end': {
      const [closed, ends] = closePart(state);
      const announced = state.calls.all.map((call) => announce(state, call));
      return [{ ...closed, reason: event.data.reason ?? 'other' }, [...ends, ...announced]];
    }
    case 'tool_start': {
      const { call, tool, title } = event.data;
      const data = { call: callName(state.runId!, call), tool, ...(title !== undefined && { title }) };
      return [state, [transient('tool-start', data)]];
    }
    case 'tool_end':
      return settled(state, [result(state, event.data)]);
    case 'approval': {
      const request = chunk('tool-approval-request', {
        approvalId: event.data.approval,
        toolCallId: callName(state.runId!, event.data.call),
      });
      const about = question(state, event.data);
      // A call that asks a question was already approved; the response does not end here.
      if (event.data.kind === 'question') return [state, [about]];
      return settled(state, [request, about]);
    }
    case 'approval_end':
      return decided(state, event.data);
    case 'state':
      return changed(state, event.data);
    case 'message': {
      const { id, content, files, steer } = event.data;
      return [state, steer ? [data('steered', { id, content, ...(files && { files }) })] : []];
    }
    case 'usage':
      return [{ ...state, ...addSpent(state, event.data) }, [transient('usage', event.data, 'usage')]];
    case 'file_updated':
      return [
        state,
        [data('file-updated', { ...event.data, call: callName(state.runId!, event.data.call) })],
      ];
    case 'operation':
    case 'entity_patch': {
      const name = event.type === 'operation' ? 'operation' : 'entity-patch';
      return [state, [data(name, { ...event.data, call: callName(state.runId!, event.data.call) })]];
    }
    case 'plan_step':
      return [state, [data('plan-step', event.data)]];
    case 'verdict':
      return [state, [data('verdict', event.data)]];
    case 'context_usage':
      return [state, [transient('context', event.data, 'context')]];
    case 'mode':
      return [state, [transient('mode', event.data, 'mode')]];
    case 'session':
      return [
        state,
        [transient('session', { state: event.data.to_state, reason: event.data.reason }, 'session')],
      ];
    case 'titled':
      return [state, [transient('title', { title: event.data.title }, 'title')]];
    case 'rewound':
      return [state, [transient('rewound', event.data)]];
    case 'child_start':
    case 'child_end':
      return [state, [data(event.type === 'child_start' ? 'child-start' : 'child-end', event.data)]];
    case 'agent_state_delta':
      return [state, [data('agent-state-delta', event.data)]];
    case 'summary':
    case 'summary_failed':
      return [state, []];
    case 'final':
      return [state, event.data.sources.length > 0 ? [data('sources', { files: event.data.sources })] : []];
    case 'canceled':
      return ended(state, [chunk('abort', { reason: event.data.reason })]);
    case 'error':
      return ended(state, [chunk('error', { errorText: event.data.error })]);
  }
}

/** Appends to the open part if it has the same kind; otherwise begins a new part. */
function piece(state: AiSdkState, kind: 'text' | 'reasoning', { text }: EventData['token']): Projection {
  if (state.part?.kind === kind) return [state, [chunk(`${kind}-delta`, { id: state.part.id, delta: text })]];
  const [closed, ends] = closePart(state);
  const parts = closed.parts + 1;
  const id = String(parts);
  const begins = [chunk(`${kind}-start`, { id }), chunk(`${kind}-delta`, { id, delta: text })];
  return [{ ...closed, parts, part: { kind, id } }, [...ends, ...begins]];
}

function changed(state: AiSdkState, change: EventData['state']): Projection {
  if (change.status === 'done') {
    const { usage, cost, reason } = state;
    const finish = { finishReason: FINISH_REASONS[reason], messageMetadata: { usage, cost } };
    return ended(state, [chunk('finish', finish)]);
  }
  // Errors and cancels were already reported by their own events.
  if (change.status !== 'running') return [state, []];
  const attempt = change.attempt > 1 ? [transient('attempt', { attempt: change.attempt }, 'attempt')] : [];
  const superseded = supersededBy(change);
  if (superseded === null) return [state, attempt];
  const [closed, ends] = closePart(state);
  const [next, step] = closeStep(closed);
  const { message, cause } = superseded;
  const frame = data('superseded', { message, ...(cause && { cause }) });
  return [next, [...ends, frame, ...step, ...attempt]];
}

function decided(state: AiSdkState, answer: EventData['approval_end']): Projection {
  const call = state.calls.all.find((each) => each.call === answer.call);
  if (call?.asked?.approval !== answer.approval) {
    const { approval, tool, decision } = answer;
    const kind = 'question';
    return [
      state,
      [
        data(
          'approval',
          { approval, kind, call: callName(state.runId!, answer.call), tool, decision },
          approval,
        ),
      ],
    ];
  }
  const edited = 'input' in answer ? [announce(state, call)] : [];
  const about = [question(state, call.asked, answer)];
  return [state, [...edited, ...about]];
}

function question(
  { runId }: AiSdkState,
  { approval, kind, call, tool, paths, reason, expires_at }: EventData['approval'],
  answer?: EventData['approval_end'],
): DialectFrame {
  const asked = {
    kind,
    call: callName(runId!, call),
    tool,
    paths,
    reason,
    ...(expires_at && { expires_at }),
  };
  const { decision, comment } = answer ?? {};
  return data(
    'approval',
    { approval, ...asked, ...(decision && { decision }), ...(comment !== undefined && { comment }) },
    approval,
  );
}

function result(
  { runId, calls }: AiSdkState,
  { call, output, success, outcome }: EventData['tool_end'],
): DialectFrame {
  const toolCallId = callName(runId!, call);
  if (success) return chunk('tool-output-available', { toolCallId, output, dynamic: true });
  const asked = calls.all.find((each) => each.call === call)?.asked;
  // Clients expect `tool-output-denied` only after an approval request. A call that a rule denied is reported as an error.
  if (outcome === 'denied' && asked) return chunk('tool-output-denied', { toolCallId });
  return chunk('tool-output-error', { toolCallId, errorText: errorTextOf(output), dynamic: true });
}

function announce({ runId }: AiSdkState, { call, tool, input }: Call): DialectFrame {
  const toolCallId = callName(runId!, call);
  return chunk('tool-input-available', {
    toolCallId,
    toolName: tool,
    input: inputOrText(input),
    dynamic: true,
  });
}

/** Ends the step if the run now only waits for people, because the response ends here. */
function settled(state: AiSdkState, frames: readonly DialectFrame[]): Projection {
  if (!state.calls.wait) return [state, frames];
  const [closed, ends] = closeStep(state);
  return [closed, [...frames, ...ends]];
}

function ended(state: AiSdkState, last: readonly DialectFrame[]): Projection {
  const [closed, ends] = closeStep(state);
  return [closed, [...ends, ...last]];
}

function closeStep(state: AiSdkState): Projection {
  const [closed, ends] = closePart(state);
  return closed.step === null ? [closed, ends] : [{ ...closed, step: null }, [...ends, chunk('finish-step')]];
}

function closePart(state: AiSdkState): Projection {
  const { part } = state;
  return part === null
    ? [state, []]
    : [{ ...state, part: null }, [chunk(`${part.kind}-end`, { id: part.id })]];
}

function start({ runId }: AiSdkState): readonly DialectFrame[] {
  return [chunk('start', { messageId: runId })];
}

function chunk(type: string, fields: object = {}): DialectFrame {
  return { data: { type, ...fields } };
}

/** A data part of the message. With an id, it replaces the earlier part with that id. */
function data(name: string, value: unknown, id?: string): DialectFrame {
  return chunk(`data-${name}`, { ...(id !== undefined && { id }), data: value });
}

/** A data part that the client does not keep in the message. */
function transient(name: string, value: unknown, progress?: string): DialectFrame {
  return { ...chunk(`data-${name}`, { data: value, transient: true }), ...(progress && { progress }) };
}
