// A command's output: bounded while it arrives, and as text that can change colours and nothing else of a terminal.

import { KEPT_OUTPUT, SHOWN_HEAD, SHOWN_TAIL } from './limits.ts';

const HALF = KEPT_OUTPUT / 2;

/** Keeps the first and the last half of `KEPT_OUTPUT`, and counts the rest. */
export class Output {
  #head = Buffer.alloc(0);
  /** A ring, once the head is full: the byte at `n` of what follows the head is at `n % HALF`. */
  #tail: Buffer | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    const room = Math.max(0, HALF - this.#size);
    if (room > 0) this.#addToHead(piece.subarray(0, room));
    this.#addToTail(piece.subarray(room), Math.max(0, this.#size - HALF));
    this.#size += piece.length;
  }

  #addToHead(piece: Buffer): void {
    const end = this.#size + piece.length;
    if (end > this.#head.length) {
      const larger = Buffer.alloc(Math.min(HALF, Math.max(end, 2 * this.#head.length)));
      this.#head.copy(larger);
      this.#head = larger;
    }
    piece.copy(this.#head, this.#size);
  }

  #addToTail(piece: Buffer, start: number): void {
    if (piece.length === 0) return;
    this.#tail ??= Buffer.alloc(HALF);
    const skipped = Math.max(0, piece.length - HALF);
    const at = (start + skipped) % HALF;
    const copied = piece.copy(this.#tail, at, skipped);
    piece.copy(this.#tail, 0, skipped + copied);
  }

  #bytes(): { readonly head: Buffer; readonly tail: Buffer; readonly missing: number } {
    const head = this.#head.subarray(0, this.#size);
    const after = this.#size - head.length;
    if (!this.#tail || after <= HALF)
      return { head, tail: this.#tail?.subarray(0, after) ?? Buffer.alloc(0), missing: 0 };
    const at = after % HALF;
    const tail = Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)]);
    return { head, tail, missing: after - HALF };
  }

  /** What is kept, as text with colours. A line in its middle says what is missing. */
  text(): string {
    const { head, tail, missing } = this.#bytes();
    if (missing === 0) return safeText(Buffer.concat([head, tail]).toString());
    return `${safeText(head.toString())}${RESET}\n[${missing} bytes are not kept]\n${safeText(tail.toString())}`;
  }

  /** The end of the output, from the beginning of a line where there is one. */
  end(characters: number): string {
    const { head, tail } = this.#bytes();
    const most = 4 * characters;
    const bytes = tail.length >= most ? tail : Buffer.concat([head, tail]);
    const text = safeText(bytes.subarray(-most).toString());
    if (bytes.length <= most && text.length <= characters) return text;
    const end = text.slice(-characters);
    return end.slice(end.indexOf('\n') + 1).toWellFormed();
  }
}

const RESET = '\u001b[0m';
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)/g;
// oxlint-disable-next-line no-control-regex
const STYLE = /^\u001b\[([\d;]*)m$/;
// oxlint-disable-next-line no-control-regex
const STYLES = /\u001b\[[\d;]*m/g;
// Control characters except tab, newline and those of the styles that stay, and characters that turn the direction of text.
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const LINES_AND_CONTROLS = new RegExp(`[\\u0009\\u000a\\u001b\\u2028\\u2029]|${CONTROLS.source}`, 'g');

/** Text that only changes colours: no other escape sequences, no overwritten lines, no control characters. */
function safeText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(lastWritten)
    .join('\n')
    .replaceAll(ESCAPES, safeStyle)
    .replaceAll(CONTROLS, '')
    .toWellFormed();
}

/** What a terminal shows of a line that was overwritten from its beginning. */
function lastWritten(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  return line.slice(end === 0 ? 0 : line.lastIndexOf('\r', end - 1) + 1, end);
}

/** A sequence without all but colours, bold, faint, italic and underlined: text must not be hidden, blink or be moved. */
function safeStyle(sequence: string): string {
  const codes = STYLE.exec(sequence)?.[1]?.split(';').map(Number);
  if (!codes) return '';
  const kept: number[] = [];
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    const length = code !== 38 && code !== 48 ? 1 : codes[at + 1] === 5 ? 3 : codes[at + 1] === 2 ? 5 : 0;
    if (length === 0) break;
    const group = codes.slice(at, at + length);
    if (group.length === length && (length > 1 ? group.every((each) => each <= 255) : isHarmless(code)))
      kept.push(...group);
    at += length - 1;
  }
  return kept.length === 0 ? '' : `\u001b[${kept.join(';')}m`;
}

function isHarmless(code: number): boolean {
  const isIn = (from: number, to: number) => code >= from && code <= to;
  return isIn(0, 4) || isIn(22, 24) || isIn(30, 49) || isIn(90, 97) || isIn(100, 107);
}

/** Text without colours, for models and programs. */
export function withoutColors(text: string): string {
  return text.replaceAll(STYLES, '');
}

/** One line of plain text, such as the name of a file: characters that would control the reader's terminal are escaped as in JSON. */
export function withoutControls(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(LINES_AND_CONTROLS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a model is shown of a text: its beginning and its end, cut at lines where that loses little. */
export function shownText(text: string): string {
  if (isShownWhole(text)) return text;
  const head = text.slice(0, SHOWN_HEAD);
  const tail = text.slice(-SHOWN_TAIL);
  const end = head.lastIndexOf('\n');
  const start = tail.indexOf('\n');
  const first = end > SHOWN_HEAD / 2 ? head.slice(0, end) : head;
  const last = start >= 0 && start < SHOWN_TAIL / 2 ? tail.slice(start + 1) : tail;
  const left = text.length - first.length - last.length;
  return `${first}\n[${left} characters are left out here]\n${last}`.toWellFormed();
}

export function isShownWhole(text: string): boolean {
  return text.length <= SHOWN_HEAD + SHOWN_TAIL;
}
