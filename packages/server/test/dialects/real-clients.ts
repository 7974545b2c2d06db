// The clients of the AI SDK and of AG-UI, given responses that no server sends just now: what they have in the end.

import { HttpAgent, type Message } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import type { LogEvent, RunDialect } from '@continuo/protocol';

/** What each response says if one ends wherever the run waits for people; or all in one, as who comes later gets it. */
export function responsesOf<State>(
  dialect: RunDialect<State>,
  events: readonly LogEvent[],
  how: 'cut' | 'whole',
): object[][] {
  let state = dialect.initial;
  let said: object[] = [];
  const responses = [said];
  const waits = () => dialect.closing(state)?.map(({ data }) => data as object) ?? null;
  for (const [index, event] of events.entries()) {
    const [next, frames] = dialect.step(state, event);
    state = next;
    said.push(...frames.map(({ data }) => data as object));
    const last = index === events.length - 1;
    const closing = last || how === 'cut' ? waits() : null;
    if (!closing) continue;
    said.push(...closing);
    if (last) break;
    said = dialect.opening(state).map(({ data }) => data as object);
    responses.push(said);
  }
  return responses;
}

const bodyOf = (frames: readonly object[]) =>
  frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');

/** The message after all the responses, and the error that it ended with. */
export async function readAiSdk(
  responses: readonly object[][],
): Promise<{ message: UIMessage; error: string | null }> {
  let message: UIMessage | undefined;
  for (const frames of responses) {
    const body = `${bodyOf(frames)}data: [DONE]\n\n`;
    const transport = new DefaultChatTransport({ fetch: async () => new Response(body) });
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId: undefined,
      messages: [],
      abortSignal: undefined,
    });
    const before = message && structuredClone(message);
    const reading = readUIMessageStream({
      stream,
      terminateOnError: true,
      ...(before && { message: before }),
    });
    try {
      for await (const read of reading) message = read;
    } catch (error) {
      return { message: message!, error: (error as Error).message };
    }
  }
  return { message: message!, error: null };
}

/** An agent after all the responses, and the error that it ended with. */
export async function runAgUi(
  question: Message,
  responses: readonly object[][],
): Promise<{ agent: HttpAgent; error: string | null }> {
  const bodies = responses.map(bodyOf);
  const agent = new HttpAgent({
    url: 'http://localhost/api/ag-ui',
    threadId: 'thread',
    initialMessages: [question],
    fetch: async () => new Response(bodies.shift(), { headers: { 'content-type': 'text/event-stream' } }),
  });
  let error: string | null = null;
  for (const _ of responses) {
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'cancelled' as const,
    }));
    await agent.runAgent({ resume }, { onRunErrorEvent: ({ event }) => void (error = event.message) });
  }
  return { agent, error };
}
