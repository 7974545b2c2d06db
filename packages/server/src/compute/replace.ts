// Applies exact replacements to a text, one after another.

import { nearLines } from './likeness.ts';

/** Maximum number of line numbers in an error message. */
const NAMED_LINES = 10;

interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean | undefined;
}

export interface ReplaceInput {
  readonly text: string;
  readonly edits: readonly Edit[];
}

export type Replaced =
  | { readonly ok: true; readonly text: string; readonly replaced: number }
  /** For the model: what is wrong, and what to do. */
  | { readonly ok: false; readonly problem: string };

export function replace({ text: given, edits }: ReplaceInput): Replaced {
  let text = given;
  let replaced = 0;
  for (const [index, edit] of edits.entries()) {
    const done = replaceOne(text, edit);
    if (typeof done === 'string')
      return { ok: false, problem: `${edits.length > 1 ? `edit ${index + 1}: ` : ''}${done}` };
    text = done.text;
    replaced += done.count;
  }
  return { ok: true, text, replaced };
}

/** Returns the problem as a string if the edit cannot be applied. */
function replaceOne(text: string, edit: Edit): { readonly text: string; readonly count: number } | string {
  // In a file with Windows line endings, an edit may be written with plain ones.
  const windows = text.includes('\r\n') && placesOf(text, edit.old_text).length === 0;
  const [old, fresh] = [edit.old_text, edit.new_text].map((part) =>
    windows ? part.replaceAll(/\r?\n/g, '\r\n') : part,
  ) as [string, string];
  const places = placesOf(text, old);
  const count = places.length;
  if (count === 0) return `old_text is not in the file. ${hint(text, edit)}`;
  if (count > 1 && edit.replace_all !== true) {
    const more = count > NAMED_LINES ? ', …' : '';
    return `old_text occurs ${count} times (lines ${linesAt(text, places.slice(0, NAMED_LINES)).join(', ')}${more}); include more of the surrounding text, or set replace_all`;
  }
  const parts: string[] = [];
  let at = 0;
  for (const place of places) {
    parts.push(text.slice(at, place), fresh);
    at = place + old.length;
  }
  parts.push(text.slice(at));
  return { text: parts.join(''), count };
}

/** Up to this length, V8's own search has a well-bounded time. */
const SHORT = 64;

/**
 * The positions at which a part occurs in a text, without overlaps. V8's own search can take time proportional to the
 * product of both lengths (half a minute for 2 MiB) and cannot be interrupted, so a long part is found with the
 * Knuth–Morris–Pratt algorithm.
 */
function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  if (part.length <= SHORT) {
    for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
    return places;
  }
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched < part.length) continue;
    places.push(at + 1 - part.length);
    matched = 0;
  }
  return places;
}

/**
 * The failure table of Knuth–Morris–Pratt: for each prefix, the length of its longest proper prefix that is also its
 * suffix.
 */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  for (let [at, length] = [1, 0]; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1]!;
    if (text.charCodeAt(length) === code) length += 1;
    borders[at] = length;
  }
  return borders;
}

/** The line numbers of these positions, which are in ascending order. */
function linesAt(text: string, places: readonly number[]): readonly number[] {
  let [line, end] = [1, text.indexOf('\n')];
  return places.map((place) => {
    for (; end >= 0 && end < place; end = text.indexOf('\n', end + 1)) line += 1;
    return line;
  });
}

function hint(text: string, { old_text: old }: Edit): string {
  if (/^ *\d+\t/.test(old)) return 'Leave the line numbers that read shows out of old_text.';
  const wanted = old.split('\n').find((line) => line.trim() !== '') ?? '';
  const alike = nearLines({ wanted, text });
  if (alike.length === 0) return 'No line is similar to it; read the file again.';
  return `The most similar lines are:\n${alike.join('\n')}`;
}
