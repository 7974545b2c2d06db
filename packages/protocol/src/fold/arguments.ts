// The arguments of a call, as the model wrote them. A model may write invalid JSON: that is represented as a value here, and each
// consumer presents it in its own way.

import type { ToolInput } from '@continuo/engine';

export type CallArguments =
  | { readonly ok: true; readonly value: unknown }
  /** `raw` is the model's text; `problem` is a sentence that the model can act on. */
  | { readonly ok: false; readonly raw: string; readonly problem: string };

/** How many characters of invalid arguments a problem quotes. */
const QUOTED_CHARACTERS = 200;

export function readArguments(input: ToolInput): CallArguments {
  if (input.kind === 'json') return { ok: true, value: input.value };
  const { text: raw } = input;
  return { ok: false, raw, problem: `the input is not valid JSON: ${raw.slice(0, QUOTED_CHARACTERS)}` };
}

/** For clients that expect a JSON value: invalid arguments become `{ raw }`. */
export function toWireInput(input: CallArguments): unknown {
  return input.ok ? input.value : { raw: input.raw };
}
