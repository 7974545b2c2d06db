// Inputs and results of calls as the log holds them.

import { isJsonTooDeep } from '@continuo/engine';
import type { Call, CallArguments, EventData } from '@continuo/protocol';
import { isTooDeep, TOO_DEEP } from '../../limits/json-depth.ts';
import type { Entry } from '../../log/group.ts';
import type { AnyTool } from '../../tools/registry.ts';
import { ToolFailure } from '../../tools/tool.ts';
import type { StepContext } from './step.ts';

export type CallEnd = Omit<EventData['tool_end'], 'tool' | 'call'>;

/** Arguments that are nested too deep cannot be stored. They are reported to the model, like arguments that are not JSON. */
export function keptInput(input: CallArguments): CallArguments {
  if (!(input.ok ? isTooDeep(input.value) : isJsonTooDeep(input.raw))) return input;
  return { ok: false, raw: '', problem: `the input is ${TOO_DEEP}. Nothing was done. Send it flatter` };
}

/** An input as the log holds it; empty if it is not JSON, or nested too deep. */
export function toWireInput(input: CallArguments): Record<string, unknown> {
  return input.ok ? asObject(input.value) : {};
}

/** A result as the log holds it. One that is nested too deep fails the call, and rolls a transactional call back. */
export function asOutput({ effect }: AnyTool, value: unknown): Record<string, unknown> {
  if (!isTooDeep(value)) return asObject(value);
  throw new ToolFailure(
    effect === 'transactional'
      ? `nothing was done: the result is ${TOO_DEEP}`
      : `the call was made, but its result is ${TOO_DEEP} and cannot be kept`,
  );
}

/** Inputs and outputs are objects on the wire. Any other value is wrapped in one. */
function asObject(value: unknown): Record<string, unknown> {
  const plain: unknown = JSON.parse(JSON.stringify(value ?? {}));
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    ? (plain as Record<string, unknown>)
    : { result: plain };
}

/** The end of a call, as an entry of the log. */
export function ended(context: StepContext, call: Call, data: CallEnd): Entry {
  const event = { type: 'tool_end' as const, data: { tool: call.tool, ...data, call: call.call } };
  return { runId: context.queued.id, event };
}
