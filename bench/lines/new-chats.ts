// A message that opens a chat, in one request: from sending it to its first token, against the same call of the model.

import { streaming } from '../load/dialects.ts';
import { firstMark } from '../load/first-mark.ts';
import { connections } from '../load/request.ts';
import { digits, median } from '../measure/numbers.ts';
import type { Stage } from '../stage.ts';
import { continuoModel, type Pod } from '../systems/continuo.ts';
import { judged, type Line, type Row } from './line.ts';

const MODEL = 'fake-0-20';
const CONTENT = 'hello';
/** What it may take more than the direct call: the chat, the message and the first token are committed. */
const MORE_MS = 10;
const agent = connections();

interface Call {
  readonly url: string;
  readonly body: () => unknown;
  /** What stands in the first token. */
  readonly mark: string;
}

export const newChats: Line = {
  key: 'new-chats',
  measure: (stage) => stage.withPods('new_chats', 1, ([pod]) => measure(stage, pod!)),
};

async function measure(stage: Stage, { url }: Pod): Promise<Row[]> {
  const model = continuoModel(MODEL);
  const message = { role: 'user', content: CONTENT };
  const direct: Call = {
    url: `${stage.modelUrl}/chat/completions`,
    body: () => ({ model: MODEL, stream: true, messages: [message] }),
    mark: '"content":"',
  };
  const calls: Readonly<Record<string, Call>> = {
    agent: {
      url: `${url}/api/agent/stream`,
      body: () => ({ message: CONTENT, model }),
      mark: 'event: text_delta\n',
    },
    chat: {
      url: `${url}/api/chat`,
      body: () => {
        const parts = [{ type: 'text', text: CONTENT }];
        return {
          id: crypto.randomUUID(),
          model,
          messages: [{ id: crypto.randomUUID(), role: 'user', parts }],
        };
      },
      mark: '"type":"text-delta"',
    },
  };
  const times: Record<string, number[]> = { direct: [], agent: [], chat: [] };
  const warming = stage.many(100, 10);
  for (let turn = 0; turn < warming + stage.many(200, 20); turn += 1)
    for (const [name, call] of Object.entries({ direct, ...calls })) {
      const time = await firstToken(call);
      if (turn >= warming) times[name]!.push(time);
    }
  const base = median(times['direct']!);
  return Object.keys(calls).map((name) => {
    const own = median(times[name]!);
    return {
      key: `new-chat-${name}`,
      line: `a new chat in the dialect of \`${new URL(calls[name]!.url).pathname}\`: POST to first token, p50, against the same direct call`,
      target: `≤ direct + ${MORE_MS} ms`,
      measured: `${digits(own, 'ms')}, direct ${digits(base, 'ms')}`,
      verdict: judged(own <= base + MORE_MS),
    };
  });
}

async function firstToken({ url, body, mark }: Call): Promise<number> {
  const signal = AbortSignal.timeout(60_000);
  const began = performance.now();
  const response = await streaming({ agent, url, method: 'POST', body: body(), signal });
  return firstMark(response, { mark, began });
}
