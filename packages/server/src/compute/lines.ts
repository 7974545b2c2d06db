// Finds the lines in which two texts differ.
//
// 1. A line that occurs in only one of the texts has certainly changed. Such lines are set aside first, so that
//    comparing a completely rewritten text costs no more than reading it.
// 2. The remaining lines are compared with Myers' greedy algorithm, in stretches of at most 1,000 edits (fewer in very
//    long texts). With up to that many edits the result is minimal; with more it is correct, but can be longer than
//    necessary.
// 3. `STEPS` bounds the time. The memory is bounded by the number of lines plus 4 MiB.

/** Maximum number of edits in one stretch. */
const MOST_EDITS = 1000;
const FEWEST_EDITS = 100;
/** Maximum number of steps in the whole comparison. */
const STEPS = 100_000_000;

/** Lines `fromStart` up to `fromEnd` of the old text became lines `toStart` up to `toEnd` of the new one. */
export interface LineChange {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

/**
 * Splits a text into lines. Each keeps its line ending, so that a last line with one differs from a last line without.
 */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1));
    start = end + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

export function changedLines(from: readonly string[], to: readonly string[]): readonly LineChange[] {
  const [gone, added] = [new Uint8Array(from.length), new Uint8Array(to.length)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let [endFrom, endTo] = [from.length, to.length];
  while (endFrom > start && endTo > start && from[endFrom - 1] === to[endTo - 1]) {
    endFrom -= 1;
    endTo -= 1;
  }
  const numbers = new Map<string, number>();
  for (let at = start; at < endFrom; at += 1) numbers.set(from[at]!, numbers.get(from[at]!) ?? numbers.size);
  const onBoth = new Uint8Array(numbers.size);
  const right = shared(to, start, endTo, added, (line) => {
    const number = numbers.get(line);
    if (number !== undefined) onBoth[number] = 1;
    return number;
  });
  const left = shared(from, start, endFrom, gone, (line) => {
    const number = numbers.get(line)!;
    return onBoth[number] ? number : undefined;
  });
  compare(left, right, gone, added);
  return rangesOf(gone, added);
}

/** The lines of one text that the other also has: each as a number, with its index in the text. */
interface Side {
  readonly numbers: Int32Array;
  readonly places: Int32Array;
  readonly length: number;
}

function shared(
  lines: readonly string[],
  start: number,
  end: number,
  changed: Uint8Array,
  numberOf: (line: string) => number | undefined,
): Side {
  const [numbers, places] = [new Int32Array(end - start), new Int32Array(end - start)];
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const number = numberOf(lines[at]!);
    if (number === undefined) changed[at] = 1;
    else {
      numbers[length] = number;
      places[length] = at;
      length += 1;
    }
  }
  return { numbers, places, length };
}

/** Marks the lines of each side that the other side does not have in the same order. */
function compare(left: Side, right: Side, gone: Uint8Array, added: Uint8Array): void {
  const lines = left.length + right.length;
  // A stretch of n edits takes about n²/2 steps, and there can be up to lines / n stretches.
  const affordable = Math.floor((2 * STEPS) / (lines + 1));
  const most = Math.min(lines, MOST_EDITS, Math.max(FEWEST_EDITS, affordable));
  const reach = new Int32Array(2 * most + 3);
  // How far each diagonal reached after each number of edits. The row for `edits` begins at `edits * edits`.
  const reached = new Int32Array((most + 1) * (most + 1));
  let [x0, y0] = [0, 0];
  while (x0 < left.length || y0 < right.length) {
    if (x0 === left.length || y0 === right.length) {
      for (; x0 < left.length; x0 += 1) gone[left.places[x0]!] = 1;
      for (; y0 < right.length; y0 += 1) added[right.places[y0]!] = 1;
      return;
    }
    const { edits, diagonal } = stretch(left, right, { x0, y0, most, reach, reached });
    let x = reached[edits * edits + diagonal + edits]!;
    const [endX, endY] = [x0 + x, y0 + x - diagonal];
    // Walk back from the end of the stretch to its beginning, one edit at a time.
    for (let [done, k] = [edits, diagonal]; done > 0; done -= 1) {
      const before = (done - 1) * (done - 1) + done - 1;
      const down = comesDown(k, done, (other) => reached[before + other]!);
      k += down ? 1 : -1;
      x = reached[before + k]!;
      if (down) added[right.places[y0 + x - k]!] = 1;
      else gone[left.places[x0 + x]!] = 1;
    }
    [x0, y0] = [endX, endY];
  }
}

function comesDown(k: number, edits: number, reachOf: (diagonal: number) => number): boolean {
  return k === -edits || (k !== edits && reachOf(k - 1) < reachOf(k + 1));
}

interface Stretch {
  readonly x0: number;
  readonly y0: number;
  readonly most: number;
  readonly reach: Int32Array;
  readonly reached: Int32Array;
}

/** Advances until both sides end, or until `most` edits; then the furthest position is the result. */
function stretch(
  left: Side,
  right: Side,
  { x0, y0, most, reach, reached }: Stretch,
): { readonly edits: number; readonly diagonal: number } {
  const [n, m] = [left.length - x0, right.length - y0];
  const [a, b] = [left.numbers, right.numbers];
  const middle = most + 1;
  reach.fill(-1);
  reach[middle + 1] = 0;
  for (let edits = 0; ; edits += 1) {
    let best = { edits, diagonal: 0, sum: -1 };
    const [lowest, highest] = [Math.max(-edits, -m), Math.min(edits, n)];
    for (let k = lowest + ((lowest + edits) & 1); k <= highest; k += 2) {
      const at = middle + k;
      let x =
        k === -edits || (k !== edits && reach[at - 1]! < reach[at + 1]!)
          ? reach[at + 1]!
          : reach[at - 1]! + 1;
      while (x < n && x - k < m && a[x0 + x] === b[y0 + x - k]) x += 1;
      reach[at] = x;
      if (x > n || x - k > m) continue;
      if (x === n && x - k === m) best = { edits, diagonal: k, sum: Infinity };
      else if (2 * x - k > best.sum) best = { edits, diagonal: k, sum: 2 * x - k };
    }
    for (let k = -edits; k <= edits; k += 1) reached[edits * edits + k + edits] = reach[middle + k]!;
    if (best.sum === Infinity || edits === most) return best;
  }
}

function rangesOf(gone: Uint8Array, added: Uint8Array): readonly LineChange[] {
  const changes: LineChange[] = [];
  let [x, y] = [0, 0];
  while (x < gone.length || y < added.length) {
    const [fromStart, toStart] = [x, y];
    while (gone[x] === 1) x += 1;
    while (added[y] === 1) y += 1;
    if (x > fromStart || y > toStart) changes.push({ fromStart, fromEnd: x, toStart, toEnd: y });
    else {
      x += 1;
      y += 1;
    }
  }
  return changes;
}
