// Chats: how soon a message is answered on an open pipe, what a pipe costs that waits, and what runs cost that wait for people.

import type { IncomingMessage } from 'node:http';
import { KeptConnection } from '../load/kept.ts';
import { open, call, connections, read } from '../load/request.ts';
import { pause } from '../measure/clock.ts';
import { bytes, digits, median, ratio } from '../measure/numbers.ts';
import { connect } from '../postgres.ts';
import type { Stage } from '../stage.ts';
import type { Pod } from '../systems/continuo.ts';
import { judged, type Line, type Row } from './line.ts';

const MOST_COMMITS = 8;
const MOST_AFTER_IDLING = 2;
const MOST_PIPE_BYTES = 25_000;
const CHATS = '/api/v1/workspaces/default/chats';
const MODEL = 'offline/instant';
/** Writing what all agents are told asks, unless a policy says otherwise. */
const ASKING = JSON.stringify({
  steps: [{ calls: [{ tool: 'write', input: { path: '/AGENTS.md', content: 'Be brief.' } }] }],
});
const OPENED_AT_ONCE = 20;
/** Turns before the first that counts: a server that has just started is still being compiled. */
const WARMING = 100;

export const chats: Line = {
  key: 'chats',
  measure: async (stage) => [
    ...(await stage.withPods('chats_first', 1, ([pod], url) => firstToken(stage, pod!, url), {
      CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS: '1',
    })),
    await stage.withPods('chats_pipes', 1, ([pod]) => idlePipes(stage, pod!)),
    await waiting(stage),
  ],
};

async function firstToken(stage: Stage, pod: Pod, databaseUrl: string): Promise<Row[]> {
  const client = await connect(databaseUrl);
  await client.query('create table raw (id serial primary key, data text not null)');
  const chat = await openChat(pod, 'hello', MODEL);
  const pipe = await Pipe.open(`${pod.url}${CHATS}/${chat}/events`);
  const sender = new KeptConnection(pod.url);
  const [commits, fresh, idled]: number[][] = [[], [], []];
  const answered = async (times: number[]): Promise<void> => {
    const started = performance.now();
    const chunk = pipe.next('chunk');
    const status = await sender.post(`${CHATS}/${chat}`, { content: 'and again' });
    if (status !== 202) throw new Error(`a message was answered with ${status}`);
    times.push((await chunk) - started);
    await pipe.next('done');
  };
  try {
    await pipe.next('done');
    for (let turn = 0; turn < stage.many(WARMING, 3); turn += 1) await answered([]);
    for (let turn = 0; turn < stage.many(300, 30); turn += 1) {
      const started = performance.now();
      await client.query("insert into raw (data) values ('x')");
      commits!.push(performance.now() - started);
      await answered(fresh!);
    }
    for (let turn = 0; turn < stage.many(20, 3); turn += 1) {
      await pipe.next('state_changed', '"to_state":"completed"');
      await answered(idled!);
    }
  } finally {
    pipe.close();
    sender.close();
    await client.end();
  }
  const [commit, soon, late] = [median(commits!), median(fresh!), median(idled!)];
  return [
    {
      key: 'chat-first-token',
      line: 'message to first token on an open pipe, offline model, p50, against one raw commit',
      target: `≤ ${MOST_COMMITS}×`,
      measured: `${ratio(soon / commit)} (${digits(soon, 'ms')} against ${digits(commit, 'ms')})`,
      verdict: judged(soon <= MOST_COMMITS * commit),
    },
    {
      key: 'chat-first-token-idled',
      line: 'the same after the session idled out, against before',
      target: `≤ ${MOST_AFTER_IDLING}×`,
      measured: `${ratio(late / soon)} (${digits(late, 'ms')})`,
      verdict: judged(late <= MOST_AFTER_IDLING * soon),
    },
  ];
}

async function idlePipes(stage: Stage, pod: Pod): Promise<Row> {
  const count = stage.many(10_000, 500);
  const chat = await openChat(pod, 'hello', MODEL);
  const url = `${pod.url}${CHATS}/${chat}/events?after=latest`;
  // What the first ones bring along is not theirs.
  await stage.load.ask('follow', { url, count: 50, mark: '\nid: ' });
  await stage.load.ask('leave');
  await pause(1000);
  const before = await resourcesOf(pod);
  await stage.load.ask('follow', { url, count, mark: '\nid: ' });
  await pause(1000);
  const after = await resourcesOf(pod);
  await stage.load.ask('leave');
  const each = (after.memory - before.memory) / count;
  const resident = (after.resident - before.resident) / count;
  return {
    key: 'idle-pipes',
    line: `memory of one of ${count} open idle pipes`,
    target: `≤ ${MOST_PIPE_BYTES / 1000} kB`,
    measured: `${digits(resident / 1000, 'kB')} of resident memory, ${digits(each / 1000, 'kB')} in use`,
    verdict: judged(Math.max(each, resident) <= MOST_PIPE_BYTES),
  };
}

/** A server with many waiting runs in its database, against the same server when it had none. */
async function waiting(stage: Stage): Promise<Row> {
  const count = stage.many(10_000, 300);
  // Connections that only the start needed are closed after half a minute.
  const wait = stage.many(35_000, 3000);
  const rest = (pods: readonly Pod[], url: string) => atRest(pods[0]!, url, wait);
  const name = 'chats_waiting';
  const databaseUrl = await stage.postgres.create(name);
  try {
    const none = await stage.withPodsOn(databaseUrl, 1, rest);
    await stage.withPodsOn(databaseUrl, 1, async ([pod]) => {
      for (let at = 0; at < count; at += OPENED_AT_ONCE)
        await Promise.all(
          Array.from({ length: Math.min(OPENED_AT_ONCE, count - at) }, () =>
            openChat(pod!, ASKING, 'offline/script'),
          ),
        );
      await parked(databaseUrl, count);
    });
    const many = await stage.withPodsOn(databaseUrl, 1, rest);
    const same = many.connections === none.connections && many.timers === none.timers;
    const flat = many.memory <= none.memory * 1.05;
    return {
      key: 'waiting-runs',
      line: `a server with ${count} runs that wait for approval, against one with none`,
      target: 'the same',
      measured:
        `${many.connections} connections to the database and ${many.timers} timers, ${none.connections} and ${none.timers} before; ` +
        `${bytes(many.memory)} in use, ${bytes(none.memory)} before`,
      verdict: judged(same && flat),
    };
  } finally {
    await stage.postgres.drop(name);
  }
}

interface Resources {
  readonly memory: number;
  readonly resident: number;
  readonly timers: number;
}

async function resourcesOf(pod: Pod): Promise<Resources> {
  const { heapUsed, external, rss } = await pod.program.ask<NodeJS.MemoryUsage>('memory');
  const active = await pod.program.ask<string[]>('resources');
  return {
    memory: heapUsed + external,
    resident: rss,
    timers: active.filter((each) => each === 'Timeout').length,
  };
}

async function atRest(
  pod: Pod,
  databaseUrl: string,
  wait: number,
): Promise<Resources & { connections: number }> {
  await pause(wait);
  const client = await connect(databaseUrl);
  try {
    const { rows } = await client.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name like 'continuo%'",
    );
    return { ...(await resourcesOf(pod)), connections: rows[0]!.n };
  } finally {
    await client.end();
  }
}

async function parked(databaseUrl: string, count: number): Promise<void> {
  const client = await connect(databaseUrl);
  const sql = `select count(*)::int as n from approvals a join threads t on t.id = a.thread_id
    where a.decision is null and t.owner is null`;
  try {
    for (let look = 0; look < 600; look += 1) {
      if ((await client.query<{ n: number }>(sql)).rows[0]!.n >= count) return;
      await pause(200);
    }
    throw new Error(`${count} runs did not come to wait`);
  } finally {
    await client.end();
  }
}

const agent = connections();

function post<T>(pod: Pod, path: string, body: unknown): Promise<T> {
  const signal = AbortSignal.timeout(60_000);
  return call<T>({ agent, url: `${pod.url}${path}`, method: 'POST', body, signal });
}

async function openChat(pod: Pod, goal: string, model: string): Promise<string> {
  const { chat } = await post<{ chat: { id: string } }>(pod, CHATS, { goal, model, title: 'a chat' });
  return chat.id;
}

/** A pipe whose frames are waited for one after the other. */
class Pipe {
  readonly #response: IncomingMessage;
  readonly #frames: { text: string; at: number }[] = [];
  #waiting: (() => void) | null = null;
  #text = '';

  static async open(url: string): Promise<Pipe> {
    return new Pipe(await open({ agent, url, signal: AbortSignal.timeout(300_000) }));
  }

  constructor(response: IncomingMessage) {
    this.#response = response;
    read(response, (chunk) => this.#take(chunk.toString())).catch(() => undefined);
  }

  close(): void {
    this.#response.destroy();
  }

  /** When the next frame of that kind came; those before it are skipped. */
  async next(event: string, holding = ''): Promise<number> {
    for (;;) {
      const frame = this.#frames.shift();
      if (!frame) await new Promise<void>((resolve) => (this.#waiting = resolve));
      else if (frame.text.startsWith(`event: ${event}\n`) && frame.text.includes(holding)) return frame.at;
    }
  }

  #take(text: string): void {
    const at = performance.now();
    const parts = (this.#text + text).split('\n\n');
    this.#text = parts.pop()!;
    for (const part of parts) this.#frames.push({ text: part.replace(/^(: ping\n)+/, ''), at });
    this.#waiting?.();
  }
}
