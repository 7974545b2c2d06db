// Elicitation: a server asks a person a question during a call. The protocol does not say which call a question belongs to. Over
// HTTP the question arrives in the stream of its call; over stdio it is clear only while a single call is open. A question that
// could belong to several calls is canceled, because it must not appear in the wrong chat.

import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode, type ElicitResult } from '@modelcontextprotocol/client';
import type { Answer, LiveCallContext } from '../tools/tool.ts';
import { DESCRIPTION_BYTES, MOST_QUESTIONS, SCHEMA_BYTES } from './limits.ts';
import { shortened } from './text.ts';

interface OpenCall {
  readonly ask: LiveCallContext['ask'];
  /** Pauses the call's time-out; the returned function resumes it. */
  readonly pauseClock: () => () => void;
  /** Ends the call with this error, because the question could not be asked. */
  readonly fail: (error: Error) => void;
}

interface Questions {
  /** Makes a call during which the server may ask questions. */
  during<T>(call: OpenCall, make: () => Promise<T>): Promise<T>;
  ask(params: { readonly message: string; readonly requestedSchema?: unknown }): Promise<ElicitResult>;
}

export function createQuestions(): Questions {
  const open = new Map<OpenCall, { asked: number }>();
  const current = new AsyncLocalStorage<OpenCall>();

  /** The call in whose stream the question arrived, or the only open call. */
  const asking = (): OpenCall | null => {
    const call = current.getStore();
    if (call && open.has(call)) return call;
    const [first, ...others] = open.keys();
    return first && others.length === 0 ? first : null;
  };

  return {
    during: async (call, make) => {
      open.set(call, { asked: 0 });
      try {
        return await current.run(call, make);
      } finally {
        open.delete(call);
      }
    },
    ask: async ({ message, requestedSchema }) => {
      const call = asking();
      const count = call && open.get(call);
      if (!call || !count) return { action: 'cancel' };
      count.asked += 1;
      if (count.asked > MOST_QUESTIONS) return { action: 'cancel' };
      const schema = requestedSchema as Readonly<Record<string, unknown>>;
      if (Buffer.byteLength(JSON.stringify(schema)) > SCHEMA_BYTES) {
        const reason = `the schema of the answer is larger than ${SCHEMA_BYTES} bytes`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
      }
      const startClock = call.pauseClock();
      try {
        return asResult(await call.ask({ text: shortened(message, DESCRIPTION_BYTES), schema }));
      } catch (error) {
        call.fail(error as Error);
        return { action: 'cancel' };
      } finally {
        if (open.has(call)) startClock();
      }
    },
  };
}

function asResult(answer: Answer): ElicitResult {
  switch (answer.kind) {
    case 'answered':
      // The SDK checks that the content is flat; the schema was checked when the person answered.
      return { action: 'accept', content: { ...answer.content } as ElicitResult['content'] };
    case 'declined':
      return { action: 'decline' };
    default:
      return { action: 'cancel' };
  }
}
