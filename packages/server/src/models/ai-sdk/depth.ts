// Removes JSON that is nested too deeply from the bytes of an answer before anything parses it, because the AI SDK serialises the
// object input of a call recursively. A value at the limit becomes `null`. The remaining input is still deeper than a call's
// input may be, so the call is refused later and the model sees why.

import { CARRIER_DEPTH } from '../../limits/json-depth.ts';

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

  /** Filters the next bytes of the answer. */
  take(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    /** The start of the bytes that are neither kept nor removed yet; null inside a removed value. */
    let from: number | null = this.#depth > CARRIER_DEPTH ? null : 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === LF || byte === CR) {
        // An empty line ends an event and everything that was open in it.
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
