// Applies the hunks of a unified diff to a text. A hunk is applied where its old lines are, at the place nearest to its
// line number. If its old lines are nowhere, one context line may differ, be missing, or be extra. The time to find the
// place is proportional to the lines of the text plus those of the hunk.

import { nearLines } from './likeness.ts';

interface Hunk {
  readonly oldStart: number;
  /** Each begins with a space, `-`, `+` or `\`, as in the diff. */
  readonly lines: readonly string[];
}

export interface PatchInput {
  readonly text: string;
  readonly hunks: readonly Hunk[];
}

export type Patched =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      /** The index of the first hunk that fits nowhere. */
      readonly hunk: number;
      /** One of its lines that is not in the text, and the lines of the text most similar to it. */
      readonly lost: string;
      readonly near: readonly string[];
    };

export function patch({ text, hunks: given }: PatchInput): Patched {
  const hunks = withLineEndsOf(text, given);
  const lines = text.split('\n');
  adaptLastLineEnd(lines, hunks.at(-1));
  const file = new NumberedLines(lines);
  const result: string[] = [];
  let [done, offset] = [0, 0];
  for (const [index, hunk] of hunks.entries()) {
    const wanted = oldLinesOf(hunk);
    const fit = fitOf(file, wanted, { near: hunk.oldStart - 1 + offset, from: done });
    if (!fit) return { ok: false, hunk: index, ...lostLine(text, wanted.lines) };
    for (; done < fit.place; done += 1) result.push(lines[done]!);
    done = applyHunk(lines, hunk, fit, result);
    offset = fit.place + 1 - hunk.oldStart;
  }
  for (; done < lines.length; done += 1) result.push(lines[done]!);
  return { ok: true, text: result.join('\n') };
}

/**
 * Where a hunk fits, and how. `odd` is the one old line that differs from the text, is missing in it, or has an extra
 * line before it.
 */
interface Fit {
  readonly place: number;
  readonly odd: { readonly line: number; readonly how: 'differs' | 'missing' | 'new' } | null;
}

/** The lines of a text as numbers: equal lines have equal numbers. */
class NumberedLines {
  readonly numbers: Int32Array;
  readonly #known = new Map<string, number>();

  constructor(lines: readonly string[]) {
    this.numbers = Int32Array.from(lines, (line) => {
      const number = this.#known.get(line) ?? this.#known.size;
      this.#known.set(line, number);
      return number;
    });
  }

  /** A line that is not in the text becomes -1, which equals no line of it. */
  numbersOf(lines: readonly string[]): Int32Array {
    return Int32Array.from(lines, (line) => this.#known.get(line) ?? -1);
  }
}

interface OldLines {
  readonly lines: readonly string[];
  /** Whether the line may differ or be missing: true for context lines that are not next to an inserted line. */
  readonly loose: readonly boolean[];
  /** Whether the text may have an extra line before this one. */
  readonly open: readonly boolean[];
}

function oldLinesOf({ lines: hunk }: Hunk): OldLines {
  const lines: string[] = [];
  const loose: boolean[] = [];
  const open: boolean[] = [];
  const operations = hunk
    .filter((line) => !line.startsWith('\\'))
    .map((line) => [line[0] ?? ' ', line] as const);
  for (const [index, [operation, line]] of operations.entries()) {
    if (operation === '+') continue;
    const insertsBeside = (step: 1 | -1) => {
      let at = index + step;
      while (operations[at]?.[0] === '-') at += step;
      return operations[at]?.[0] === '+';
    };
    lines.push(line.slice(1));
    loose.push(operation === ' ' && !insertsBeside(-1) && !insertsBeside(1));
    open.push(lines.length > 1 && !insertsBeside(operation === '-' ? 1 : -1));
  }
  return { lines, loose, open };
}

function fitOf(
  file: NumberedLines,
  wanted: OldLines,
  { near: asked, from }: { readonly near: number; readonly from: number },
): Fit | null {
  const text = file.numbers;
  const pattern = file.numbersOf(wanted.lines);
  const [length, last] = [pattern.length, text.length - pattern.length];
  const near = Math.max(from, Math.min(asked, Math.max(last, from)));
  if (length === 0) return { place: near, odd: null };
  if (near <= last && pattern.every((number, index) => number === text[near + index]))
    return { place: near, odd: null };

  const begins = matchesAt(pattern, text);
  const exact = nearest(near, from, last, (place) => begins[place] === length);
  if (exact !== null) return { place: exact, odd: null };

  // The length of the pattern's longest suffix that ends just before a position of the text.
  const reversed = matchesAt(pattern.toReversed(), text.toReversed());
  const endsBefore = (place: number) =>
    place < 1 || place > text.length ? 0 : reversed[text.length - place]!;
  let odd: Fit['odd'] = null;
  const place = nearest(near, from, Math.min(last + 1, text.length - 1), (at) => {
    const line = begins[at]!;
    const left = length - line;
    if (wanted.loose[line] && at + length <= text.length && endsBefore(at + length) >= left - 1)
      odd = { line, how: 'differs' };
    else if (wanted.open[line] && at + length < text.length && endsBefore(at + length + 1) >= left)
      odd = { line, how: 'new' };
    else if (wanted.loose[line] && length > 1 && endsBefore(at + length - 1) >= left - 1)
      odd = { line, how: 'missing' };
    return odd !== null;
  });
  return place === null ? null : { place, odd };
}

/** The position between `from` and `last` that fits and is nearest to `near`; the later one if two are equally near. */
function nearest(near: number, from: number, last: number, fits: (place: number) => boolean): number | null {
  for (let away = 0; near + away <= last || near - away >= from; away += 1) {
    if (near + away <= last && fits(near + away)) return near + away;
    if (away > 0 && near - away >= from && near - away <= last && fits(near - away)) return near - away;
  }
  return null;
}

/** For each position of the text: how many elements from the start of the pattern match there. */
function matchesAt(pattern: Int32Array, text: Int32Array): Int32Array {
  const own = new Int32Array(pattern.length);
  const found = new Int32Array(text.length);
  matches(pattern, pattern, own, own, 1);
  matches(pattern, text, own, found, 0);
  return found;
}

/** The Z-algorithm. It keeps the matching stretch that reaches furthest, so that no element is compared twice. */
function matches(
  pattern: Int32Array,
  text: Int32Array,
  own: Int32Array,
  found: Int32Array,
  first: number,
): void {
  let [start, end] = [0, 0];
  for (let at = first; at < text.length; at += 1) {
    let length = at < end ? Math.min(end - at, own[at - start]!) : 0;
    while (length < pattern.length && at + length < text.length && pattern[length] === text[at + length])
      length += 1;
    found[at] = length;
    if (at + length > end) [start, end] = [at, at + length];
  }
}

/** Appends the patched lines up to the hunk's last change. Returns the index of the next line of the text. */
function applyHunk(lines: readonly string[], hunk: Hunk, { place, odd }: Fit, result: string[]): number {
  const last = hunk.lines.findLastIndex((line) => line.startsWith('-') || line.startsWith('+'));
  let [at, old] = [place, 0];
  for (const line of hunk.lines.slice(0, last + 1)) {
    const operation = line[0] ?? ' ';
    if (operation === '+') result.push(line.slice(1));
    if (operation !== '-' && operation !== ' ') continue;
    const how = odd?.line === old ? odd.how : null;
    old += 1;
    if (how === 'missing') continue;
    if (how === 'new') {
      result.push(lines[at]!);
      at += 1;
    }
    if (operation === ' ') result.push(lines[at]!);
    at += 1;
  }
  return at;
}

/** Converts the hunks to the line endings of the text, whichever of the two uses Windows line endings. */
function withLineEndsOf(text: string, hunks: readonly Hunk[]): readonly Hunk[] {
  const windows = text.includes('\r\n');
  const ends = hunks.flatMap(({ lines }) =>
    lines.filter((line, index) => !line.startsWith('\\') && !lines[index + 1]?.startsWith('\\')),
  );
  const change = (to: (line: string) => string) =>
    hunks.map((hunk) => ({
      ...hunk,
      lines: hunk.lines.map((line, index) =>
        line.startsWith('\\') || hunk.lines[index + 1]?.startsWith('\\') ? line : to(line),
      ),
    }));
  if (windows && !/(?:^|[^\r])\n/.test(text) && !ends.some((line) => line.endsWith('\r')))
    return change((line) => `${line}\r`);
  if (!windows && text.includes('\n') && ends.length > 0 && ends.every((line) => line.endsWith('\r')))
    return change((line) => line.slice(0, -1));
  return hunks;
}

/**
 * "\ No newline at end of file" after an added line removes the line ending at the end of the text; after a removed
 * line it adds one.
 */
function adaptLastLineEnd(lines: string[], last: Hunk | undefined): void {
  const marked = (sign: string) =>
    last?.lines.some((line, index) => line.startsWith('\\') && last.lines[index - 1]?.startsWith(sign)) ===
    true;
  const [removes, adds] = [marked('+'), marked('-')];
  if (removes === adds) return;
  if (removes && lines.at(-1) === '') lines.pop();
  if (adds && lines.at(-1) !== '') lines.push('');
}

function lostLine(text: string, wanted: readonly string[]) {
  const inText = new Set(text.split('\n'));
  const lost = wanted.find((line) => line.trim() !== '' && !inText.has(line)) ?? wanted[0] ?? '';
  return { lost, near: nearLines({ wanted: lost, text }) };
}
