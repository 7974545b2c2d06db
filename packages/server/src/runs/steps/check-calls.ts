// Checks calls before they are judged and run: is there such a tool, does the input fit it, what does the call touch?

import type { Call, CallArguments, EventData } from '@continuo/protocol';
import type { AnyTool } from '../../tools/registry.ts';
import { errorForModels, type EntityOperation } from '../../tools/tool.ts';
import { yieldWithAbortCheck } from '../../limits/yielding.ts';
import { keptInput } from './call-values.ts';
import type { StepContext } from './step.ts';

export interface CheckedCall {
  readonly call: Call;
  /** The arguments, or why they cannot be stored. */
  readonly input: CallArguments;
  readonly checked: Checked;
}

export type Checked =
  | {
      ok: true;
      tool: AnyTool;
      input: never;
      paths: readonly string[];
      operation: EntityOperation | null;
    }
  | { ok: false; problem: string };

/** Yields between the calls, because there may be many, with large inputs. */
export async function checkAll(
  context: StepContext,
  calls: readonly Call[],
): Promise<readonly CheckedCall[]> {
  const checked: CheckedCall[] = [];
  for (const [index, call] of calls.entries()) {
    if (index > 0) await yieldWithAbortCheck({ mode: 'fast', signal: context.hold.lost });
    const input = keptInput(call.input);
    checked.push({ call, input, checked: await check(context, call, input) });
  }
  return checked;
}

async function check(
  { tools, workspaceId }: StepContext,
  { tool: name, stage }: Call,
  given: CallArguments,
): Promise<Checked> {
  if (!given.ok) return { ok: false, problem: given.problem };
  const named = tools.get(name);
  if (!named) {
    const known = tools.names.join(', ') || 'none';
    return { ok: false, problem: `there is no tool named ${name}; the tools are: ${known}` };
  }
  let tool = named;
  let input: never;
  let paths: ReturnType<NonNullable<AnyTool['paths']>>;
  try {
    const parsed = named.input.safeParse(given.value);
    if (!parsed.success) {
      const issues = parsed.error.issues.map(
        (issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`,
      );
      return { ok: false, problem: `the input does not match the tool's schema: ${issues.join('; ')}` };
    }
    input = parsed.data as never;
    tool = named.variant?.(input) ?? named;
    paths = tool.paths?.(input, { workspaceId }) ?? [];
  } catch (error) {
    return { ok: false, problem: `the input could not be checked: ${errorForModels(error)}` };
  }
  // A call that an earlier attempt started has said already what it does.
  const operation =
    stage.kind === 'started'
      ? withoutStatus(stage.operation)
      : ((await tool.operation?.(input, { workspaceId })) ?? null);
  return { ok: true, tool, input, paths: await paths, operation };
}

function withoutStatus(operation: EventData['operation'] | undefined): EntityOperation | null {
  if (!operation) return null;
  const { status: _, call: __, ...rest } = operation;
  return rest;
}

/**
 * Whether a started call may be repeated. If the tool is gone or now refuses the input, its effect is not known, and the call is not
 * repeated.
 */
export function isRepeatable(checked: Checked): boolean {
  return checked.ok && checked.tool.effect !== 'external';
}
