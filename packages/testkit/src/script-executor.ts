// What the executors of tests have in common: they play scripts as offline/script does, so that tests of scripted runs find the same
// runs behind them, and they work for the server that `startWorker` named.

import { runWorker, type Answer, type ExecutorEvent, type Task } from '@continuo/client/worker';
import type { StreamEvent } from '@continuo/engine';
import { createOfflineModel, type HistoryMessage, type ModelRequest } from '@continuo/offline-model';

const model = createOfflineModel({
  id: 'offline/script',
  world: {
    now: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => (clearTimeout(timer), resolve()));
      }),
  },
  mostCalls: 1000,
})!;

/** The answer that offline/script gives. */
export async function* play(task: Task): AsyncGenerator<ExecutorEvent> {
  const calls = new Map<string, { tool: string; input: string }>();
  for await (const event of model.stream(toRequest(task))) yield* executorEvents(event, calls);
}

function executorEvents(
  event: StreamEvent,
  calls: Map<string, { tool: string; input: string }>,
): readonly ExecutorEvent[] {
  switch (event.type) {
    case 'message_start':
      // An empty text begins the message.
      return [{ type: 'text', text: '' }];
    case 'text_delta':
      return [{ type: 'text', text: event.text }];
    case 'reasoning_delta':
      return [{ type: 'reasoning', text: event.text }];
    case 'tool_input_start':
      calls.set(event.callId, { tool: event.tool, input: '' });
      return [];
    case 'tool_input_delta':
      calls.get(event.callId)!.input += event.text;
      return [];
    case 'tool_input_stop': {
      const { tool, input } = calls.get(event.callId)!;
      return [
        { type: 'tool_call', call: event.callId, tool, input: JSON.parse(input) as Record<string, unknown> },
      ];
    }
    case 'message_stop': {
      const { input, output } = event.usage;
      return [{ type: 'finish', usage: { input, output } }];
    }
    case 'stream_error':
      return [{ type: 'fail', code: event.code, error: event.message }];
    default:
      return [];
  }
}

function toRequest(task: Task): ModelRequest {
  const { message: messageId, system, history, tools, max_output_tokens: most, signal } = task;
  const request = { messageId, system, history: history.map(toHistory), tools, signal };
  return most === null ? request : { ...request, maxOutputTokens: most };
}

function toHistory(message: Task['history'][number]): HistoryMessage {
  switch (message.role) {
    case 'user': {
      const { role, id, content } = message;
      // A script has no empty line; the server's note about attached files follows one.
      return { role, id, content: content.startsWith('{') ? content.split('\n\n')[0]! : content };
    }
    case 'tool': {
      const { role, call: callId, tool, output, failed } = message;
      return { role, callId, tool, output, failed };
    }
    case 'assistant':
      return {
        role: 'assistant',
        id: message.id,
        parts: message.parts.map((part) =>
          part.type === 'tool_call'
            ? {
                kind: part.type,
                callId: part.call,
                tool: part.tool,
                input: { kind: 'json', value: part.input },
              }
            : { kind: part.type, text: part.text },
        ),
      };
    case 'system':
      return message;
  }
}

export function work(answer: Answer): Promise<void> {
  const { CONTINUO_URL, CONTINUO_API_KEY, CONTINUO_EXECUTOR, CONTINUO_TEST_CONCURRENCY } = process.env;
  return runWorker({
    baseUrl: CONTINUO_URL!,
    apiKey: CONTINUO_API_KEY!,
    executor: CONTINUO_EXECUTOR!,
    concurrency: Number(CONTINUO_TEST_CONCURRENCY),
    answer,
  });
}
