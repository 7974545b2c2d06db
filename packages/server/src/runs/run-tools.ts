// Runs the calls of a message. Pure ones run at once, the others one by one in order. A call that an earlier
// attempt started is repeated as its effect class allows.

import type { EventData } from '@continuo/protocol';
import { Lost } from '../log/pen.ts';
import type { AnyTool } from '../tools/registry.ts';
import type { CallState } from './fold.ts';
import type { StepContext } from './step.ts';

export async function runTools(context: StepContext, calls: readonly CallState[]): Promise<void> {
  const isPure = (call: CallState) => context.options.tools.get(call.tool)?.effect === 'pure';
  const atOnce = Promise.all(calls.filter(isPure).map((call) => runCall(context, call)));
  // Both must end before the step does: a failure in one must not leave the other running unseen.
  const inOrder = (async () => {
    for (const call of calls.filter((each) => !isPure(each))) await runCall(context, call);
  })();
  const outcomes = await Promise.allSettled([atOnce, inOrder]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function runCall(context: StepContext, call: CallState): Promise<void> {
  const { hold, pen, queued, options } = context;
  if (hold.draining || context.canceled.aborted) return;
  hold.lost.throwIfAborted();
  const end = (data: Pick<EventData['tool_end'], 'output' | 'success' | 'outcome'>) =>
    pen.append([ended(context, call, data)]);

  const checked = check(context, call);
  if (!checked.ok || call.stage.kind === 'planned') {
    const { tool, input, call: id } = call;
    await pen.append([
      { runId: queued.id, event: { type: 'tool_start', data: { tool, input: asObject(input), call: id } } },
    ]);
  }
  if (!checked.ok) return void (await end({ output: { error: checked.problem }, success: false }));
  const { tool, input } = checked;
  if (call.stage.kind === 'started' && tool.effect === 'external') {
    const error =
      'outcome unknown: the call was started, and the server stopped before it was known to be finished; it was not repeated';
    return void (await end({ output: { error }, success: false, outcome: 'unknown' }));
  }

  const grace = graceAfterCancel(context);
  const about = {
    threadId: hold.threadId,
    runId: queued.id,
    callId: call.call,
    key: `${queued.id}:${call.call}`,
    signal: grace.signal,
  };
  try {
    await options.faults?.(`tool.before_effect.${tool.effect}`);
    if (tool.effect === 'transactional') {
      await pen.transact(async (sql) => {
        const output = await grace.within(tool.run(input, { ...about, sql }));
        await options.faults?.(`tool.after_effect.${tool.effect}`);
        return { entries: [ended(context, call, { output: asObject(output), success: true })], result: null };
      });
      return;
    }
    // Nothing fences what happens outside: a pod that may have been given up must not begin.
    if (tool.effect === 'external' && !hold.fresh())
      throw new Lost('the lease is too old for an external effect');
    const output = asObject(await grace.within(tool.run(input, about)));
    await options.faults?.(`tool.after_effect.${tool.effect}`);
    await end({ output, success: true });
  } catch (error) {
    if (error instanceof Lost || hold.lost.aborted) throw error;
    const outcome =
      error instanceof Overdue && tool.effect !== 'transactional' ? { outcome: 'unknown' as const } : {};
    await end({ output: { error: messageOf(error) }, success: false, ...outcome });
  } finally {
    grace.end();
  }
}

function ended(
  context: StepContext,
  call: CallState,
  data: Pick<EventData['tool_end'], 'output' | 'success' | 'outcome'>,
) {
  const event = { type: 'tool_end' as const, data: { tool: call.tool, ...data, call: call.call } };
  return { runId: context.queued.id, event };
}

type Checked = { ok: true; tool: AnyTool; input: never } | { ok: false; problem: string };

function check({ options }: StepContext, call: CallState): Checked {
  if (call.problem !== null) return { ok: false, problem: call.problem };
  const tool = options.tools.get(call.tool);
  if (!tool) {
    const known = options.tools.names.join(', ') || 'none';
    return { ok: false, problem: `there is no tool named ${call.tool}; the tools are: ${known}` };
  }
  try {
    const parsed = tool.input.safeParse(call.input);
    if (parsed.success) return { ok: true, tool, input: parsed.data as never };
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
    return { ok: false, problem: `the input does not fit the tool's schema: ${issues.join('; ')}` };
  } catch (error) {
    return { ok: false, problem: `the input could not be checked: ${messageOf(error)}` };
  }
}

/** Tools may throw anything. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

class Overdue extends Error {
  override readonly message = 'the call did not end within its grace period after the run was canceled';
}

/** After a cancel a running call may finish within its grace; then it is told to end, and is not waited for. */
function graceAfterCancel({ canceled, hold, options }: StepContext) {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const overdue = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () =>
      reject(hold.lost.aborted ? new Lost('the thread was lost') : new Overdue()),
    );
  });
  overdue.catch(() => undefined);
  const onCancel = () => (timer = setTimeout(() => stop.abort(), options.cancelGraceMs));
  const onLost = () => stop.abort();
  canceled.addEventListener('abort', onCancel);
  hold.lost.addEventListener('abort', onLost);
  if (canceled.aborted) onCancel();
  if (hold.lost.aborted) onLost();
  return {
    signal: stop.signal,
    within: <T>(work: Promise<T>): Promise<T> => Promise.race([work, overdue]),
    end: () => {
      if (timer) clearTimeout(timer);
      canceled.removeEventListener('abort', onCancel);
      hold.lost.removeEventListener('abort', onLost);
    },
  };
}

/** Inputs and outputs are objects on the wire; anything else is put into one. */
function asObject(value: unknown): Record<string, unknown> {
  const plain: unknown = JSON.parse(JSON.stringify(value ?? {}));
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    ? (plain as Record<string, unknown>)
    : { result: plain };
}
