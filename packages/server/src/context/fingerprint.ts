// Hashes of requests and of their parts. The hash of a request is made of the hashes of its messages and tools, which are
// computed once for as long as they are in memory. So a long history costs little.

import { hash } from 'node:crypto';
import type { HistoryFile, HistoryMessage, ModelRequest, ToolSchema } from '../models/model.ts';

/** The SHA-256, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The part of a request that a provider gets. */
export type Sent = Pick<ModelRequest, 'system' | 'history' | 'tools' | 'reasoning'>;

export function hashRequest(model: string, { system, history, tools, reasoning }: Sent): string {
  const head = [model, reasoning ?? '', sha256(system), hashTools(tools), String(history.length)];
  return sha256([...head, ...history.map(hashMessage)].join('\n'));
}

export function hashTools(tools: readonly ToolSchema[]): string {
  return sha256(tools.map(hashTool).join('\n'));
}

const hashes = new WeakMap<object, string>();

function once<T extends object>(value: T, compute: (value: T) => string): string {
  const known = hashes.get(value) ?? compute(value);
  hashes.set(value, known);
  return known;
}

function hashTool(tool: ToolSchema): string {
  return once(tool, (each) => sha256(JSON.stringify(each)));
}

/** A message after a round trip through the log has the same hash: JSON keeps the order of keys. */
function hashMessage(message: HistoryMessage): string {
  return once(message, (each) =>
    sha256(JSON.stringify('files' in each ? { ...each, files: each.files?.map(withoutBytes) } : each)),
  );
}

function withoutBytes({ mediaType, data }: HistoryFile) {
  return typeof data === 'string' ? { mediaType, data } : { mediaType, sha256: sha256(data) };
}
