// Converts the result of an MCP tool into the output that the model sees.

import { isJsonTooDeep } from '@continuo/engine';
import { z } from 'zod';
import { isTooDeep, TOO_DEEP } from '../limits/json-depth.ts';
import { ToolFailure } from '../tools/tool.ts';
import { OUTPUT_BYTES, REASON_BYTES } from './limits.ts';
import { cut, shortened } from './text.ts';

/** Lenient: a note reports the parts that are not understood, and the rest is still used. */
export const callResult = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
  resource: z
    .looseObject({
      uri: z.string(),
      text: z.string().optional(),
      blob: z.string().optional(),
      mimeType: z.string().optional(),
    })
    .optional(),
});

export interface Output {
  readonly text?: string;
  readonly structured?: unknown;
  /** What was truncated, and which parts are not text. */
  readonly notes?: readonly string[];
}

const MOST_NOTES = 20;

/** Throws a ToolFailure if the result is an error. */
export function toOutput({ content, structuredContent, isError }: z.infer<typeof callResult>): Output {
  const blocks = content.map((each) => block.safeParse(each).data ?? { type: 'unknown' });
  const all = blocks.flatMap((each) => textOf(each) ?? []).join('\n');
  if (isError) throw new ToolFailure(shortened(all, OUTPUT_BYTES) || 'the tool failed and gave no reason');

  const { text, left } = cut(all, OUTPUT_BYTES);
  const others = blocks.filter((each) => textOf(each) === null).map(noteOf);
  const notes = others.slice(0, MOST_NOTES);
  if (others.length > MOST_NOTES) notes.push(`${others.length - MOST_NOTES} more parts are not text`);
  if (left > 0) notes.push(`the text was cut: ${left} more bytes`);

  const deep = isTooDeep(structuredContent);
  if (deep) notes.push(`structured content that is ${TOO_DEEP} was left out`);
  const json = structuredContent === undefined || deep ? null : JSON.stringify(structuredContent);
  // Servers repeat structured content as text for older clients; the model needs it only once.
  const repeated = json !== null && left === 0 && isSame(text, json);
  const room = OUTPUT_BYTES - (repeated ? 0 : Buffer.byteLength(text));
  const fits = json !== null && Buffer.byteLength(json) <= room;
  if (json !== null && !fits)
    notes.push(`structured content of ${Buffer.byteLength(json)} bytes was left out`);
  return {
    ...((!repeated || !fits) && { text }),
    ...(fits && { structured: structuredContent }),
    ...(notes.length > 0 && { notes }),
  };
}

type Block = z.infer<typeof block>;

function textOf({ type, text, resource }: Block): string | null {
  if (type === 'text') return text ?? '';
  return type === 'resource' ? (resource?.text ?? null) : null;
}

function noteOf({ type, data, mimeType, uri, resource }: Block): string {
  const encoded = data ?? resource?.blob;
  const size = encoded === undefined ? [] : [`${Buffer.byteLength(encoded, 'base64')} bytes`];
  const parts = [type, mimeType ?? resource?.mimeType ?? [], uri ?? resource?.uri ?? [], size].flat();
  return shortened(`not shown: ${parts.join(', ')}`, REASON_BYTES);
}

function isSame(text: string, json: string): boolean {
  if (isJsonTooDeep(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
