// The stored files: logs, one event to a line, and what each projection made of them.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fromRow, type StoredEvent } from '../../src/log/event.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const LOGS = join(FIXTURES, 'logs');

export interface RecordedLog {
  readonly name: string;
  /** What happens in it. */
  readonly shows: string;
  readonly events: readonly StoredEvent[];
}

export function readLogs(): RecordedLog[] {
  return readdirSync(LOGS)
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .map((file) => readLog(basename(file, '.jsonl')));
}

function readLog(name: string): RecordedLog {
  const [head, ...lines] = readFileSync(join(LOGS, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  const { shows, thread } = JSON.parse(head!) as { shows: string; thread: string };
  return { name, shows, events: lines.map((line) => fromLine(line, thread)) };
}

const DATA = ',"data":';

/** The data stands last, and its bytes are kept as they were stored. */
function toLine({ seq, runId, runSeq, attempt, type, json, at }: StoredEvent): string {
  const rest = JSON.stringify({ seq, run: runId, run_seq: runSeq, attempt, type, at });
  return `${rest.slice(0, -1)}${DATA}${json}}`;
}

function fromLine(line: string, thread: string): StoredEvent {
  const { run, ...rest } = JSON.parse(line) as {
    seq: number;
    run: string | null;
    run_seq: number | null;
    attempt: number;
    type: StoredEvent['type'];
    at: string;
  };
  const data = line.slice(line.indexOf(DATA) + DATA.length, -1);
  return fromRow({ ...rest, thread_id: thread, run_id: run, data, at: new Date(rest.at) });
}

export function writeLog({ name, shows, events }: RecordedLog): void {
  const head = JSON.stringify({ shows, thread: events[0]!.threadId });
  mkdirSync(LOGS, { recursive: true });
  writeFileSync(join(LOGS, `${name}.jsonl`), [head, ...events.map(toLine), ''].join('\n'));
}

/** Null if there is none. */
export function readExpected(projection: string, name: string): string[] | null {
  try {
    return readFileSync(join(FIXTURES, projection, `${name}.txt`), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function writeExpected(projection: string, name: string, lines: readonly string[]): void {
  mkdirSync(join(FIXTURES, projection), { recursive: true });
  writeFileSync(join(FIXTURES, projection, `${name}.txt`), lines.join('\n'));
}
