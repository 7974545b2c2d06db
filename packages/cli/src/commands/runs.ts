// Runs: list, explain, stop.

import type { Client } from '@continuo/client';
import { connect, runIdOf, targetOf, type Remote } from '../connect.ts';
import { withoutRequests } from '../failure.ts';
import {
  cyan,
  dim,
  green,
  note,
  print,
  printJson,
  red,
  safe,
  short,
  table,
  time,
  yellow,
} from '../output.ts';

export interface RunsOptions extends Remote {
  readonly status?: 'open' | 'queued' | 'running' | 'done' | 'error' | 'canceled';
  readonly chat?: string;
  readonly limit: number;
}

export async function runs({ status, chat, limit, ...remote }: RunsOptions): Promise<void> {
  const { client } = await connect(remote);
  const page = await client.runs.list({ limit, ...(status && { status }), ...(chat && { chat }) });
  // Throws if the chat does not exist.
  if (page.items.length === 0 && chat !== undefined) await client.chats.get(chat);
  if (remote.json) return printJson(page);
  if (page.items.length === 0)
    return note(chat || status ? 'No such runs.' : 'No runs. `continuo chat "hello"` makes one.');
  const [names, states] = await Promise.all([namesOf(client, page.items), statesOf(client, page.items)]);
  print(
    table(
      ['RUN', 'STATUS', 'QUEUED', 'TOOK', 'COST', 'MODEL', 'CHAT'],
      page.items.map((run) => [
        run.id,
        painted(states.get(run.id) ?? run.status),
        time(run.queued_at),
        took(run.started_at, run.ended_at),
        run.cost === null ? '' : `$${run.cost.toFixed(4)}`,
        short(run.model, 30),
        short(names.get(run.thread_id) ?? run.thread_id, 60),
      ]),
    ),
  );
  if (page.next !== null) note(dim(`There are more; -n ${Math.min(limit * 5, 1000)} shows more.`));
}

type Listed = Awaited<ReturnType<Client['runs']['list']>>['items'];

/** The name of each chat: its title, or else its goal. */
async function namesOf(client: Client, listed: Listed): Promise<ReadonlyMap<string, string>> {
  const names = new Map(
    listed.flatMap(({ thread_id, title }) => (title === null ? [] : [[thread_id, title]])),
  );
  const untitled = new Set(listed.map((run) => run.thread_id).filter((id) => !names.has(id)));
  await each([...untitled], async (id) => {
    const { goal } = await client.chats.get(id);
    if (goal !== null) names.set(id, goal);
  });
  return names;
}

/** The states that `status` does not tell: waiting, paused, and steered into another run. */
async function statesOf(client: Client, listed: Listed): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  for (const { id, steered_into } of listed) if (steered_into !== null) states.set(id, 'steered');
  await each(
    listed.filter(({ status }) => status === 'running'),
    async ({ id }) => {
      const { waits_for } = await client.runs.why(id);
      if (waits_for === 'approval') states.set(id, 'waiting');
      if (waits_for === 'resume') states.set(id, 'paused');
    },
  );
  return states;
}

/** The number of concurrent requests. */
const AT_ONCE = 8;

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

export async function why(id: string, remote: Remote): Promise<void> {
  const connected = await connect(remote);
  const answer = await connected.client.runs.why(await runIdOf(connected, id));
  if (remote.json) printJson(answer);
  else print(safe(withoutRequests(answer.sentence)));
}

export async function stop(given: string, remote: Remote): Promise<void> {
  const connected = await connect(remote);
  const target = await targetOf(connected, given);
  const { id } = target;
  if (target.kind === 'run') {
    const run = await connected.client.runs.cancel(id);
    if (remote.json) return printJson({ kind: 'run', id, status: run.status });
    return print(run.status === 'canceled' ? 'The run is canceled.' : 'The run is being canceled.');
  }
  await connected.client.chats.stop(id);
  if (remote.json) return printJson({ kind: 'chat', id, status: 'cancelled' });
  print('The chat is stopped. The next message works at once.');
}

function painted(status: string): string {
  const paint = {
    queued: yellow,
    waiting: yellow,
    paused: yellow,
    running: cyan,
    done: green,
    error: red,
    canceled: dim,
    steered: dim,
  }[status];
  return paint ? paint(status) : status;
}

function took(from: string | null, to: string | null): string {
  if (from === null || to === null) return '';
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
