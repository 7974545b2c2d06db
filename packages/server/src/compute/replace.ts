// Exact replacements in a text, made one after another.

import { nearLines } from './likeness.ts';

/** Lines that a failure names at most. */
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
  /** What is wrong, and what to do. */
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

/** What is wrong, as a string. */
function replaceOne(text: string, edit: Edit): { readonly text: string; readonly count: number } | string {
  // A file with Windows line ends is edited with plain ones.
  const windows = text.includes('\r\n') && placesOf(text, edit.old_text).length === 0;
  const [old, fresh] = [edit.old_text, edit.new_text].map((part) =>
    windows ? part.replaceAll(/\r?\n/g, '\r\n') : part,
  ) as [string, string];
  const places = placesOf(text, old);
  const count = places.length;
  if (count === 0) return `old_text is not in the file. ${hint(text, edit)}`;
  if (count > 1 && edit.replace_all !== true) {
    const more = count > NAMED_LINES ? ', …' : '';
    return `old_text occurs ${count} times (lines ${linesAt(text, places.slice(0, NAMED_LINES)).join(', ')}${more}); add more of what is around it, or set replace_all`;
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

/** V8 looks for a text of this length in a time that is bounded well. */
const SHORT = 64;

/**
 * Where a part begins in a text; places do not overlap. V8's own search may take the product of both lengths (half a minute for
 * 2 MiB), and nothing can end it meanwhile: a long part is found by the algorithm of Knuth, Morris and Pratt.
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

/** For each beginning of a text, the length of the longest shorter one that it ends with. */
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

/** The lines in which places are; these are in order. */
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
  if (alike.length === 0) return 'Read it again: no line is like it.';
  return `The nearest lines are:\n${alike.join('\n')}`;
}
