// RUN-13: a script fixes what a run says, through whichever of the five endpoints it is started and however busy the pod is.
// Ids and times differ, and where the text of one message is cut into tokens.

import { expect, test } from 'vitest';
import { ask, createThread, follow, framesOf, seen, send } from '@continuo/testkit';
import { usePod } from '@continuo/testkit/fixtures';
import { listen, type Listener, type SseFrame } from './listen.ts';

const world = usePod();

const pure = (note: string, delay_ms: number) => ({ tool: 'pure', input: { note, delay_ms } });
const steps = [
  {
    reasoning: 'let me think about it',
    text: 'I look at three things at once, ',
    // The slowest first, and others between them.
    calls: [
      pure('a', 40),
      { tool: 'transactional', input: { note: 'b' } },
      pure('c', 20),
      { tool: 'nothing_such' },
      pure('d', 0),
    ],
  },
  { text: 'and fail once, ', calls: [{ tool: 'external', input: { note: 'e', fail: true } }] },
];
const scripts = {
  done: { steps: [...steps, { text: 'and that is all of it.' }] },
  canceled: { steps: [...steps, { text: 'and never end.', hang: true }] },
};
type Ending = keyof typeof scripts;

interface StreamResult {
  readonly frames: readonly SseFrame[];
  readonly run: string;
}
type Endpoint = (content: string, ending: Ending) => Promise<StreamResult>;

/** Cancels the run once it hangs, if it is to be canceled. */
async function endRun(run: string, ending: Ending): Promise<void> {
  if (ending === 'done') return;
  let text = '';
  for await (const { event, data } of follow(world.url, run)) {
    if (event === 'token' && data.message === 'm3') text += String(data.text);
    if (text.endsWith('never end.')) break;
  }
  await ask('POST', `${world.url}/api/runs/${run}/cancel`);
}

async function toEnd(
  listener: Listener,
  ending: Ending,
  runOf: (frame: SseFrame) => unknown,
): Promise<StreamResult> {
  const frames = await listener.until((frame) => runOf(frame) !== undefined);
  const run = runOf(frames.at(-1)!) as string;
  await endRun(run, ending);
  return { frames: (await listener.toEnd()).frames, run };
}

let clients = 0;
const endpoints: Readonly<Record<string, Endpoint>> = {
  runs: async (content, ending) => {
    const { id: run } = await send(world.url, await createThread(world.url), content);
    const listener = await listen(`${world.url}/api/runs/${run}/events`);
    return toEnd(listener, ending, () => run);
  },
  workspace: async (content, ending) => {
    const chats = `${world.url}/api/v1/workspaces/default/chats`;
    const { chat, run } = (await ask('POST', chats, { goal: content, title: 'x' })).body;
    const listener = await listen(`${chats}/${chat.id}/events`);
    await endRun(run.id, ending);
    const frames = await listener.until(({ data }) => /^(idle|cancelled)$/.test(data.to_state));
    listener.close();
    return { frames, run: run.id };
  },
  agent: async (content, ending) =>
    toEnd(
      await listen(`${world.url}/api/agent/stream`, {}, { message: content, scope: 'global' }),
      ending,
      ({ data }) => data.run_id,
    ),
  'ai-sdk': async (content, ending) => {
    const messages = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: content }] }];
    const body = { id: `chat ${(clients += 1)}`, messages, trigger: 'submit-message' };
    return toEnd(await listen(`${world.url}/api/chat`, {}, body), ending, ({ data }) => data.messageId);
  },
  'ag-ui': async (content, ending) => {
    const threadId = `thread ${(clients += 1)}`;
    const messages = [{ id: 'u1', role: 'user', content }];
    const body = {
      threadId,
      runId: 'first',
      messages,
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    };
    return toEnd(await listen(`${world.url}/api/ag-ui`, {}, body), ending, ({ data }) => data.snapshot?.run);
  },
};

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Types and data, with a mark for each id and time, and the pieces of one text put together. */
function comparable(frames: readonly { event?: string | undefined; data: unknown }[]): object[] {
  const plain = frames.map(({ event, data }) => ({
    event,
    data: JSON.parse(
      JSON.stringify(data)
        .replaceAll(UUID, 'id')
        .replaceAll(TIME, 'time')
        .replaceAll(/"(\w+_ms|timestamp)":\d+/g, '"$1":0')
        .replaceAll(/"(chat|thread) \d+"/g, '"$1"'),
    ) as Record<string, unknown>,
  }));
  const joined: typeof plain = [];
  for (const frame of plain) {
    const last = joined.at(-1);
    const key = ['text', 'delta'].find((name) => typeof frame.data[name] === 'string');
    const { [key ?? '']: piece, ...rest } = frame.data;
    const { [key ?? '']: before, ...lastRest } = last?.data ?? {};
    const isNext =
      key !== undefined &&
      typeof before === 'string' &&
      last?.event === frame.event &&
      JSON.stringify(rest) === JSON.stringify(lastRest);
    if (isNext) last!.data[key] = before + String(piece);
    else joined.push(frame);
  }
  return joined;
}

async function tell(ending: Ending): Promise<Record<string, { own: object[]; log: object[] }>> {
  const content = JSON.stringify(scripts[ending]);
  const told = await Promise.all(
    Object.entries(endpoints).map(async ([name, endpoint]) => {
      const { frames, run } = await endpoint(content, ending);
      return [name, { own: comparable(frames), log: comparable(await framesOf(world.url, run)) }] as const;
    }),
  );
  return Object.fromEntries(told);
}

test.each(['done', 'canceled'] as const)(
  'RUN-13 a script that ends %s says the same through the five endpoints, idle and under load',
  async (ending) => {
    const idle = await tell(ending);
    const { runs } = idle;
    const types = runs!.log.map((frame) => (frame as { event: string }).event);
    expect(types.at(-1)).toBe('state');
    expect(types.filter((type) => type === 'tool_end')).toHaveLength(6);
    expect(JSON.stringify(runs!.log)).toContain(ending === 'done' ? 'that is all of it.' : 'user_cancelled');
    for (const [name, { log }] of Object.entries(idle)) expect(log, name).toEqual(runs!.log);

    // More threads are written than are written one by one, so neighbouring tokens are put together.
    const busy = await Promise.all(
      Array.from({ length: 6 }, async () =>
        send(world.url, await createThread(world.url), { steps: [{ tokens: 100_000, delay_ms: 2 }] }),
      ),
    );
    await Promise.all(busy.map(({ id }) => seen(world.url, id, 'token')));
    expect(await tell(ending)).toEqual(idle);
    await Promise.all(busy.map(({ id }) => ask('POST', `${world.url}/api/runs/${id}/cancel`)));
    await Promise.all(busy.map(({ id }) => framesOf(world.url, id)));
  },
);
