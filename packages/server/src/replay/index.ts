// Replays the stored logs of a database through this version's code. `recordReplay` writes what this version makes of them to a
// file; `checkReplay` compares it with what another version made of them, and each log with what else the database says about it.

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { connect, type Connection, type DatabaseSettings } from '../db/pool.ts';
import type { StoredEvent } from '../log/event.ts';
import { sampled } from './places.ts';
import { firstDifference, PROJECTIONS, type ProjectionName } from './projections.ts';
import { differencesWithin, type Difference } from './stored-truth.ts';
import { readThread, threadIds } from './threads.ts';

/** The version of the file's format. */
const FORMAT = 1;

export interface ReplayOptions {
  readonly database: DatabaseSettings;
  /** Only this thread. */
  readonly thread?: string | undefined;
  /** Only the newest ones; null for all. */
  readonly limit: number | null;
  readonly signal?: AbortSignal | undefined;
  readonly onThread?: ((done: number, of: number) => void) | undefined;
}

export interface Replayed {
  readonly threads: number;
  readonly events: number;
}

export interface ReplayDifference {
  readonly thread: string;
  readonly what: Difference['what'] | ProjectionName | 'purged';
  readonly text: string;
}

export interface Checked extends Replayed {
  readonly differences: readonly ReplayDifference[];
}

/** What a version made of a thread's log, up to the event `seq`. */
interface RecordedThread {
  readonly thread: string;
  readonly seq: number;
  readonly lines: Readonly<Record<string, readonly string[]>>;
}

export class ReplayError extends Error {
  readonly code = 'not_a_replay';
}

/** The file gets its name when it is complete. Only its owner may read it: it has everything that was said. */
export async function recordReplay(options: ReplayOptions & { readonly file: string }): Promise<Replayed> {
  const partial = `${options.file}.partial`;
  const output = await open(partial, 'w', 0o600);
  try {
    const packed = createGzip();
    const written = pipeline(packed, output.createWriteStream());
    const write = async (value: unknown) => {
      if (!packed.write(`${JSON.stringify(value)}\n`)) await once(packed, 'drain');
    };
    await write({ format: FORMAT });
    const replayed = await eachThread(options, async (thread, { log }) => {
      if (log.length > 0) await write(recordedThread(thread, log));
    });
    packed.end();
    await written;
    await rename(partial, options.file);
    return replayed;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Without a file, each log is compared only with what else the database says about it. */
export async function checkReplay(
  options: ReplayOptions & { readonly file?: string | undefined },
): Promise<Checked> {
  const differences: ReplayDifference[] = [];
  const replayed = await eachThread(options, async (thread, stored) => {
    differences.push(...differencesWithin(stored).map((each) => ({ thread, ...each })));
    if (options.file !== undefined || stored.log.length === 0) return;
    try {
      recordedThread(thread, stored.log);
    } catch (error) {
      differences.push({ thread, what: 'log', text: `it cannot be replayed: ${(error as Error).message}` });
    }
  });
  if (options.file === undefined) return { ...replayed, differences };
  const client = await connect(options.database);
  try {
    for await (const recorded of readRecorded(options.file)) {
      options.signal?.throwIfAborted();
      if (options.thread !== undefined && options.thread !== recorded.thread) continue;
      differences.push(...(await differencesTo(client, recorded)));
    }
  } finally {
    await client.end();
  }
  return { ...replayed, differences };
}

async function eachThread(
  { database, thread, limit, signal, onThread }: ReplayOptions,
  visit: (thread: string, stored: Awaited<ReturnType<typeof readThread>>) => Promise<void>,
): Promise<Replayed> {
  const client = await connect(database);
  try {
    const ids = thread === undefined ? await threadIds(client, limit) : [thread];
    let events = 0;
    for (const [index, id] of ids.entries()) {
      signal?.throwIfAborted();
      const stored = await readThread(client, id, signal);
      events += stored.log.length;
      await visit(id, stored);
      onThread?.(index + 1, ids.length);
    }
    return { threads: ids.length, events };
  } finally {
    await client.end();
  }
}

function recordedThread(thread: string, log: readonly StoredEvent[]): RecordedThread {
  const compared = sampled(log);
  const lines = Object.fromEntries(
    Object.entries(PROJECTIONS).map(([name, make]) => [name, make(log, compared)]),
  );
  return { thread, seq: log.at(-1)!.seq, lines };
}

/** The log may have grown since: only what was there then is compared. */
async function differencesTo(client: Connection, { thread, seq, lines }: RecordedThread) {
  const { log } = await readThread(client, thread);
  if (log.length === 0) return [{ thread, what: 'purged' as const, text: 'the thread is no longer stored' }];
  const now = recordedThread(
    thread,
    log.filter((event) => event.seq <= seq),
  );
  return Object.entries(now.lines).flatMap(([name, made]) => {
    const text = firstDifference(lines[name] ?? [], made);
    return text === null ? [] : [{ thread, what: name as ProjectionName, text }];
  });
}

async function* readRecorded(file: string): AsyncIterable<RecordedThread> {
  let first = true;
  const unpacked = createReadStream(file).pipe(createGunzip());
  try {
    for await (const line of createInterface({ input: unpacked, crlfDelay: Infinity })) {
      const value = JSON.parse(line) as RecordedThread & { format?: number };
      if (first && value.format !== FORMAT) throw new Error('it has another format');
      if (!first) yield value;
      first = false;
    }
  } catch (cause) {
    throw new ReplayError(
      `${file} is not a recording that this version can read (${(cause as Error).message}); make one with: continuo replay --record FILE`,
      { cause },
    );
  }
}
