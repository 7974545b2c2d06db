// Formats numbers, times and authors for tool results.

import type { Author } from '../files.ts';

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KiB`;
  return `${(size / 1024 / 1024).toFixed(1)} MiB`;
}

export function minute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Completes "was changed …". */
export function authorInWords(
  author: Author,
  here: { readonly threadId: string; readonly runId: string },
): string {
  if (author.kind === 'person') return 'by a person';
  if (author.kind === 'key') return `by the key ${author.name}`;
  if (author.kind === 'disk') return 'by a person, on disk';
  if (author.kind === 'plan') return 'by the progress of its steps';
  if (author.run === here.runId) return 'by this run';
  return author.thread === here.threadId
    ? 'by an earlier run of this conversation'
    : 'by another conversation';
}
