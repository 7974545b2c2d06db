// A command's output: bounded while it arrives, and as text that neither a terminal nor a browser obeys.

import { KEPT_OUTPUT, SHOWN_HEAD, SHOWN_TAIL } from './limits.ts';

/** Keeps the first and the last half of `KEPT_OUTPUT`, and counts the rest. */
export class Output {
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    const room = KEPT_OUTPUT / 2 - this.#headSize;
    if (room > 0) {
      const first = piece.subarray(0, room);
      this.#head.push(first);
      this.#headSize += first.length;
    }
    const rest = piece.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailSize += rest.length;
    while (this.#tailSize - this.#tail[0]!.length >= KEPT_OUTPUT / 2)
      this.#tailSize -= this.#tail.shift()!.length;
  }

  /** What is kept, as text. A line in its middle says what is missing. */
  text(): string {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-KEPT_OUTPUT / 2);
    const missing = this.#size - head.length - tail.length;
    if (missing === 0) return plainText(Buffer.concat([head, tail]).toString());
    return `${plainText(head.toString())}\n[${missing} bytes are not kept]\n${plainText(tail.toString())}`;
  }
}

// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~]?)/g;
// Control characters except tab and newline, and characters that turn the direction of text.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Without what controls a terminal: escape sequences, overwritten lines, control characters. */
function plainText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(ESCAPES, '')
    .replaceAll(/[^\n]*\r(?=[^\n])/g, '')
    .replaceAll(CONTROLS, '')
    .toWellFormed();
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
