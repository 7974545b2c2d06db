// Runs: listed, explained, ended.

import { connect, targetOf, type Remote } from '../connect.ts';
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
  const { client } = connect(remote);
  const page = await client.runs.list({ limit, ...(status && { status }), ...(chat && { chat }) });
  if (remote.json) return printJson(page);
  if (page.items.length === 0) return note('No runs. `continuo chat "hello"` makes one.');
  print(
    table(
      ['RUN', 'STATUS', 'QUEUED', 'TOOK', 'COST', 'MODEL', 'CHAT'],
      page.items.map((run) => [
        run.id,
        run.status,
        time(run.queued_at),
        took(run.started_at, run.ended_at),
        run.cost === null ? '' : `$${run.cost.toFixed(4)}`,
        short(run.model, 30),
        short(run.title ?? run.thread_id, 60),
      ]),
    ).replaceAll(/ (queued|running|done|error|canceled) /g, (_all, word: string) => ` ${painted(word)} `),
  );
  if (page.next !== null) note(dim(`There are more; -n ${Math.min(limit * 5, 1000)} shows more of them.`));
}

export async function why(id: string, remote: Remote): Promise<void> {
  const { client } = connect(remote);
  const answer = await client.runs.why(id);
  if (remote.json) printJson(answer);
  else print(safe(withoutRequests(answer.sentence)));
}

export async function stop(id: string, remote: Remote): Promise<void> {
  const connected = connect(remote);
  const target = await targetOf(connected, id);
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
  const paint = { queued: yellow, running: cyan, done: green, error: red, canceled: dim }[status];
  return paint ? paint(status) : status;
}

function took(from: string | null, to: string | null): string {
  if (from === null || to === null) return '';
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
