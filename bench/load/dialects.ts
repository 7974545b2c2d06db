// How the measured systems are asked, and how what they stream is told apart.

import type { Agent } from 'node:http';
import { call, open, type Request } from './request.ts';
import type { IncomingMessage } from 'node:http';

interface Dialect {
  /** What stands once in every delta. */
  readonly delta: string;
  /** What stands in the stream of a run that went well, and in no other. */
  readonly end: string;
  /** The text of one frame's delta, or null where it is something else. */
  text(frame: string): string | null;
  /** Asks for a run; resolves with the stream that answers it. */
  begin(ask: Ask): Promise<IncomingMessage>;
}

interface Ask {
  readonly base: string;
  readonly model: string;
  readonly content: string;
  /** Where messages are sent, and where streams are followed. */
  readonly posts: Agent;
  readonly streams: Agent;
  readonly signal: AbortSignal;
  /** A thread that nothing was said in yet, for the system that has threads. */
  readonly thread: string | undefined;
}

const bare: Dialect = {
  delta: '"type":"text-delta"',
  end: 'data: [DONE]',
  text: (frame) => {
    if (!frame.startsWith('data: {')) return null;
    const part = JSON.parse(frame.slice(6)) as { type: string; delta?: string };
    return part.type === 'text-delta' ? part.delta! : null;
  },
  begin: async ({ base, model, content, streams, signal }) => {
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: content }] }];
    return streaming({
      agent: streams,
      url: `${base}/api/chat`,
      method: 'POST',
      body: { model, messages },
      signal,
    });
  },
};

const continuo: Dialect = {
  delta: 'event: token\n',
  end: '"status":"done"',
  text: (frame) => {
    const match = /^event: token\nid: \d+\ndata: (.*)$/.exec(frame);
    return match ? (JSON.parse(match[1]!) as { text: string }).text : null;
  },
  begin: async ({ base, model, content, posts, streams, signal, thread }) => {
    const run = await postMessage({ base, model, content, agent: posts, signal, thread: thread! });
    return streaming({ agent: streams, url: `${base}/api/runs/${run}/events`, signal });
  },
};

export const dialects = { bare, continuo };

export async function postMessage(message: {
  base: string;
  model: string;
  content: string;
  thread: string;
  agent: Agent;
  signal: AbortSignal;
}): Promise<string> {
  const { base, thread, model, content, agent, signal } = message;
  const url = `${base}/api/threads/${thread}/messages`;
  const body = { content, model };
  return (await call<{ run: { id: string } }>({ agent, url, method: 'POST', body, signal })).run.id;
}

export async function newThread(base: string, agent: Agent, signal: AbortSignal): Promise<string> {
  return (await call<{ id: string }>({ agent, url: `${base}/api/threads`, method: 'POST', body: {}, signal }))
    .id;
}

export async function streaming(request: Request): Promise<IncomingMessage> {
  const response = await open(request);
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new Error(`${request.url} answered ${response.statusCode}`);
}
