// Runs the calls of a message. First the policies are asked about those that have not been started: one that is denied
// ends, one that needs approval is parked, and the others run: pure ones at once, the rest one by one in order. A call that
// an earlier attempt started is repeated as its effect class allows.

import { v7 as uuidv7 } from 'uuid';
import type { EventData } from '@continuo/protocol';
import type { Entry } from '../log/group.ts';
import { Lost } from '../log/pen.ts';
import { judge, normalPath } from '../tools/policy.ts';
import type { AnyTool } from '../tools/registry.ts';
import { OutcomeUnknown } from '../tools/tool.ts';
import type { CallState } from './fold.ts';
import { readPolicy } from './policies.ts';
import type { StepContext } from './step.ts';

interface CheckedCall {
  readonly call: CallState;
  readonly checked: Checked;
}

export async function runTools(context: StepContext, calls: readonly CallState[]): Promise<null> {
  const allowed = await withoutRefused(
    context,
    calls.map((call) => ({ call, checked: check(context, call) })),
  );
  const isPure = ({ checked }: CheckedCall) => checked.ok && checked.tool.effect === 'pure';
  const atOnce = Promise.all(allowed.filter(isPure).map((each) => runCall(context, each)));
  // Both must end before the step does: a failure in one must not leave the other running unseen.
  const inOrder = (async () => {
    for (const each of allowed) if (!isPure(each)) await runCall(context, each);
  })();
  const outcomes = await Promise.allSettled([atOnce, inOrder]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return null;
}

/** The calls that may run now. Of the others, the log says why not. */
async function withoutRefused(
  context: StepContext,
  calls: readonly CheckedCall[],
): Promise<readonly CheckedCall[]> {
  const { hold, pen, queued, options, agent, workspaceId } = context;
  if (hold.draining || context.canceled.aborted) return [];
  const isNew = ({ call, checked }: CheckedCall) => checked.ok && call.stage.kind === 'planned';
  if (!calls.some(isNew)) return calls;
  const workspace = (await readPolicy(options.pool, workspaceId)) ?? [];
  const refused: Entry[] = [];
  const allowed = calls.filter(({ call, checked }) => {
    if (!checked.ok || call.stage.kind !== 'planned') return true;
    const { name: tool, effect } = checked.tool;
    const { action, reason } = judge(
      { tool, effect, paths: checked.paths },
      { workspace, role: agent.permissions },
    );
    if (action === 'allow') return true;
    if (action === 'deny') {
      const error = `denied: ${reason}. Nothing was done. Do not repeat the call: go on without it, or say what you would need`;
      refused.push(ended(context, call, { output: { error }, success: false, outcome: 'denied' }));
      return false;
    }
    const paths = [...new Set(checked.paths.map(normalPath))];
    const data = { approval: uuidv7(), call: call.call, tool, input: asObject(call.input), paths, reason };
    refused.push({ runId: queued.id, event: { type: 'approval', data } });
    return false;
  });
  if (refused.length > 0) await pen.append(refused);
  return allowed;
}

async function runCall(context: StepContext, { call, checked }: CheckedCall): Promise<void> {
  const { hold, pen, queued, options } = context;
  if (hold.draining || context.canceled.aborted) return;
  hold.lost.throwIfAborted();
  const end = (data: Pick<EventData['tool_end'], 'output' | 'success' | 'outcome'>) =>
    pen.append([ended(context, call, data)]);

  if (call.stage.kind === 'started' && call.problem === null && !isRepeatable(checked)) {
    const error =
      'outcome unknown: the call was started, and the server stopped before it was known to be finished; it was not repeated';
    return void (await end({ output: { error }, success: false, outcome: 'unknown' }));
  }
  if (!checked.ok || call.stage.kind === 'planned') {
    const { tool, input, call: id } = call;
    await pen.append([
      { runId: queued.id, event: { type: 'tool_start', data: { tool, input: asObject(input), call: id } } },
    ]);
  }
  if (!checked.ok) return void (await end({ output: { error: checked.problem }, success: false }));
  const { tool, input } = checked;

  const grace = graceAfterCancel(context);
  const about = {
    workspaceId: context.workspaceId,
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
    const unknown = error instanceof Overdue || error instanceof OutcomeUnknown;
    const outcome = unknown && tool.effect !== 'transactional' ? { outcome: 'unknown' as const } : {};
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

type Checked =
  | { ok: true; tool: AnyTool; input: never; paths: readonly string[] }
  | { ok: false; problem: string };

function check({ tools }: StepContext, call: CallState): Checked {
  if (call.problem !== null) return { ok: false, problem: call.problem };
  const tool = tools.get(call.tool);
  if (!tool) {
    const known = tools.names.join(', ') || 'none';
    return { ok: false, problem: `there is no tool named ${call.tool}; the tools are: ${known}` };
  }
  try {
    const parsed = tool.input.safeParse(call.input);
    if (parsed.success) {
      const input = parsed.data as never;
      return { ok: true, tool, input, paths: tool.paths?.(input) ?? [] };
    }
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
    return { ok: false, problem: `the input does not fit the tool's schema: ${issues.join('; ')}` };
  } catch (error) {
    return { ok: false, problem: `the input could not be checked: ${messageOf(error)}` };
  }
}

/** Tools come and go: one that is gone, or takes another input now, may have been called. */
function isRepeatable(checked: Checked): boolean {
  return checked.ok && checked.tool.effect !== 'external';
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
