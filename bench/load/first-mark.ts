// When something first stands in a stream.

import type { IncomingMessage } from 'node:http';
import { read } from './request.ts';

/** Milliseconds from `began` until `mark` was read; resolves when the stream has ended. */
export async function firstMark(
  response: IncomingMessage,
  { mark, began }: { readonly mark: string; readonly began: number },
): Promise<number> {
  let text = '';
  let at: number | null = null;
  await read(response, (chunk) => {
    if (at !== null) return;
    text += chunk.toString();
    if (text.includes(mark)) at = performance.now() - began;
  });
  if (at === null) throw new Error(`${mark} is not in the stream`);
  return at;
}
