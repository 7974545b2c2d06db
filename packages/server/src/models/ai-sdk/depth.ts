// Cuts what is nested too deep out of the bytes of an answer, before anybody parses it: the AI SDK writes the input of a call
// that came as an object back as text, by recursion. A value at the limit becomes `null`. What is left of a call's input is
// still deeper than an input may be, so that the model is told.

import { CARRIER_DEPTH } from '../../json-depth.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const NULL = Buffer.from('null');

export class AiSdkDepth {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #lineIsEmpty = true;

  /** The bytes that are left of these; they continue those of the last call. */
  take(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    /** Where the bytes begin that are neither kept nor cut yet; null inside what is cut. */
    let from: number | null = this.#depth > CARRIER_DEPTH ? null : 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === LF || byte === CR) {
        // An empty line ends an event, and whatever was open in it.
        if (this.#lineIsEmpty && byte === LF) {
          this.#depth = 0;
          this.#inString = false;
          this.#escaped = false;
          from ??= at;
        }
        if (byte === LF) this.#lineIsEmpty = true;
        continue;
      }
      this.#lineIsEmpty = false;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === BRACKET || byte === BRACE) {
        this.#depth += 1;
        if (this.#depth === CARRIER_DEPTH + 1) {
          kept.push(bytes.subarray(from!, at), NULL);
          from = null;
        }
      } else if (byte === BRACKET_END || byte === BRACE_END) {
        if (this.#depth === CARRIER_DEPTH + 1) from = at + 1;
        if (this.#depth > 0) this.#depth -= 1;
      }
    }
    if (from === 0) return bytes;
    if (from !== null) kept.push(bytes.subarray(from));
    return Buffer.concat(kept);
  }
}
