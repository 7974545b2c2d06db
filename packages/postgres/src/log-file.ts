/** The server's log: at most two files of about LARGEST bytes each. */
import { closeSync, copyFileSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

const LARGEST = 4 * 1024 * 1024;
const TAIL = 4096;

/** Rotates the log. The server keeps the file open for appending, so a large one is copied and truncated instead of renamed. */
export function boundLog(file: string, largest = LARGEST): void {
  try {
    if (statSync(file).size <= largest) return;
    copyFileSync(file, `${file}.1`);
    truncateSync(file, 0);
  } catch {
    // No log yet, or no room for a copy: the database matters more than its log.
  }
}

export interface LogFile {
  readonly descriptor: number;
  /** The text written since the file was opened; only its end, if it is long. */
  tail(): string;
  close(): void;
}

export function openLog(file: string): LogFile {
  const descriptor = openSync(file, 'a+', 0o600);
  const start = fstatSync(descriptor).size;
  return {
    descriptor,
    tail: () => readFrom(descriptor, start),
    close: () => closeSync(descriptor),
  };
}

function readFrom(descriptor: number, start: number): string {
  const size = fstatSync(descriptor).size;
  const from = Math.max(Math.min(start, size), size - TAIL);
  const buffer = Buffer.alloc(size - from);
  const length = readSync(descriptor, buffer, 0, buffer.length, from);
  return buffer.toString('utf8', 0, length).trim();
}
