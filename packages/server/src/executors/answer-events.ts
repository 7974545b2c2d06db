// The events of an executor as the engine reads a model's: pieces of one kind form a block, and the message starts with its first
// event. Pure.

import type { StreamEvent, Usage } from '@continuo/engine';
import type { ExecutorEvent } from '@continuo/protocol';
import { CALLS_KEPT } from '../models/model.ts';

/** An answer while it is being written. */
export interface OpenAnswer {
  readonly messageId: string;
  readonly begun: boolean;
  readonly block: 'text' | 'reasoning' | null;
  /** The names of its calls. */
  readonly calls: ReadonlySet<string>;
}

export function newAnswer(messageId: string): OpenAnswer {
  return { messageId, begun: false, block: null, calls: new Set() };
}

export function streamEvents(
  answer: OpenAnswer,
  event: ExecutorEvent,
  at: number,
): readonly [OpenAnswer, readonly StreamEvent[]] {
  const start: StreamEvent[] = answer.begun
    ? []
    : [{ type: 'message_start', at, messageId: answer.messageId }];
  // A failure before the first event is a failure of the call: there is no message. Only a message can be started over, so a
  // failure that is worth another attempt begins one.
  if (event.type === 'fail') {
    const failed = failure(event, at);
    return event.retryable ? [{ ...answer, begun: true }, [...start, failed]] : [answer, [failed]];
  }
  const [next, events] = afterStart({ ...answer, begun: true }, event, at);
  return [next, [...start, ...events]];
}

function afterStart(
  answer: OpenAnswer,
  event: Exclude<ExecutorEvent, { type: 'fail' }>,
  at: number,
): readonly [OpenAnswer, readonly StreamEvent[]] {
  switch (event.type) {
    case 'text':
    case 'reasoning': {
      const { type: kind, text } = event;
      // An empty piece begins the message, and adds nothing to it.
      if (text === '') return [answer, []];
      const delta: StreamEvent = { type: `${kind}_delta`, at, text };
      if (answer.block === kind) return [answer, [delta]];
      const opened: StreamEvent = { type: `${kind}_block_start`, at };
      return [{ ...answer, block: kind }, [...closed(answer, at), opened, delta]];
    }
    case 'tool_call': {
      const { tool, input } = event;
      if (answer.calls.size >= CALLS_KEPT) return [{ ...answer, block: null }, closed(answer, at)];
      const callId = freeName(event.call ?? `call_${answer.calls.size + 1}`, answer.calls);
      const next = { ...answer, block: null, calls: new Set(answer.calls).add(callId) };
      const made: StreamEvent[] = [
        { type: 'tool_input_start', at, callId, tool },
        { type: 'tool_input_delta', at, callId, text: JSON.stringify(input) },
        { type: 'tool_input_stop', at, callId },
      ];
      return [next, [...closed(answer, at), ...made]];
    }
    case 'finish': {
      const reason = event.reason ?? (answer.calls.size > 0 ? 'tool_use' : 'end');
      const stop: StreamEvent = { type: 'message_stop', at, reason, usage: usageOf(event.usage) };
      return [{ ...answer, block: null }, [...closed(answer, at), stop]];
    }
  }
}

/** A second call with the same name would replace the first one. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  return name;
}

function failure(
  { code, error, retryable }: Extract<ExecutorEvent, { type: 'fail' }>,
  at: number,
): StreamEvent {
  return { type: 'stream_error', at, code, message: error, ...(retryable && { retryable }) };
}

function closed({ block }: OpenAnswer, at: number): readonly StreamEvent[] {
  return block === null ? [] : [{ type: `${block}_block_stop`, at }];
}

function usageOf(given: Extract<ExecutorEvent, { type: 'finish' }>['usage']): Usage {
  const { input = 0, output = 0, cached_input: cachedInput, reasoning } = given ?? {};
  return {
    input,
    output,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
