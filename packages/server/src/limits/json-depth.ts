// Limits how deeply JSON from outside may be nested. This file measures values; the engine's `isJsonTooDeep` measures
// texts.

import { isJsonTooDeep, JSON_DEPTH } from '@continuo/engine';

/**
 * Extra levels for what wraps a value of `JSON_DEPTH`: a message around a call's input, a provider's envelope around
 * the message.
 */
const ENVELOPE = 16;

/** The deepest nesting of a text that carries values of `JSON_DEPTH`: a conversation, or a provider's answer. */
export const CARRIER_DEPTH = JSON_DEPTH + ENVELOPE;

/**
 * The deepest nesting that is read from the database. Nothing deeper is written, but logs of earlier versions contain
 * some.
 */
const STORED_DEPTH = CARRIER_DEPTH + 3 * ENVELOPE;

export const TOO_DEEP = `nested deeper than the ${JSON_DEPTH} levels that are allowed`;

/** Whether a value is nested deeper than `JSON_DEPTH`. */
export function isTooDeep(value: unknown, depth: number = JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Object.values(value)) if (isTooDeep(inner, depth - 1)) return true;
  return false;
}

/** Parses JSON from the database. Values nested too deeply for recursion are replaced by a sentence. */
export function parseStored(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isJsonTooDeep(text, STORED_DEPTH)) cutOff(value as object, STORED_DEPTH);
  return value;
}

function cutOff(value: object, depth: number): void {
  const fields = value as Record<string, unknown>;
  for (const [key, inner] of Object.entries(fields)) {
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth === 1) fields[key] = `[left out: ${TOO_DEEP}]`;
    else cutOff(inner, depth - 1);
  }
}
