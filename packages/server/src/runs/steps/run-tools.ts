// Runs the calls of a message. Calls beyond the limit per message end at once. The policies then judge the calls that have
// not started: a denied call ends, a call that needs approval is parked, and the others run. Pure calls run concurrently
// (`PURE_PER_RUN` of a run, `PURE_PER_POD` of a pod at a time), then the rest one by one in order. A call that an earlier
// attempt started is repeated if its effect class allows it.

import { availableParallelism } from 'node:os';
import type { Call, CallOutcome, NewEvent } from '@continuo/protocol';
import { deltaOfCall } from '../../context/agent-state.ts';
import { FairLimiter } from '../../limits/fair-limiter.ts';
import type { Entry } from '../../log/group.ts';
import { Lost } from '../../log/pen.ts';
import { CALLS_PER_MESSAGE } from '../../models/model.ts';
import type { RunState } from '../../threads/fold.ts';
import type { AnyTool } from '../../tools/registry.ts';
import {
  errorForModels,
  OutcomeUnknown,
  Stale,
  ToolFailure,
  type CallContext,
  type EntityOperation,
} from '../../tools/tool.ts';
import { Abandoned, createAsker } from '../approvals/questions.ts';
import { CancelWins, type LoopChange } from '../changes.ts';
import { aboutCall, trackSecrets, type TrackedSecrets } from './about-call.ts';
import { asOutput, ended, toWireInput, type CallEnd } from './call-values.ts';
import { checkAll, isRepeatable, type CheckedCall } from './check-calls.ts';
import { graceAfterCancel, Overdue, type GracePeriod } from './grace-period.ts';
import { ask, isToStart, withoutRefused } from './judge-calls.ts';
import { takeNotes, type Notes } from './notes.ts';
import { filesAfter } from './rehearse.ts';
import type { StepContext } from './step.ts';

/** Maximum number of concurrent pure calls, of one run and of a pod. */
const PURE_PER_RUN = 8;
const PURE_PER_POD = 2 * availableParallelism();

/** Limits the concurrent pure calls of a pod. */
export function createPureCalls(): FairLimiter {
  return new FairLimiter(PURE_PER_POD);
}

/** Maximum number of tries to prepare a call whose preparation becomes stale through concurrent changes. */
const PREPARE_TRIES = 100;

export async function runTools(context: StepContext, run: RunState, calls: readonly Call[]): Promise<null> {
  if (context.hold.draining || context.canceled.aborted) return null;
  const surplus = run.calls.slice(CALLS_PER_MESSAGE);
  const made = await withoutSurplus(context, calls, new Set(surplus));
  const allowed = await withoutRefused(context, await checkAll(context, made));
  const isPure = ({ checked }: CheckedCall) => checked.ok && checked.tool.effect === 'pure';
  // The order of the log must not depend on which call is faster: the results of pure calls are appended in the order of the
  // calls, and the other calls start after them. If the pod dies before a pure call's result is appended, the call is
  // repeated.
  const ownPlaces = new FairLimiter(PURE_PER_RUN);
  let earlier: Promise<unknown> = Promise.resolve();
  const atOnce = allowed.filter(isPure).map((each) => {
    const run = runCall(context, each, { earlier, ownPlaces });
    earlier = Promise.allSettled([earlier, run]);
    return run;
  });
  // Waits for all calls even if one fails, so that none keeps running after the step.
  const outcomes = await Promise.allSettled(atOnce);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  for (const each of allowed) if (!isPure(each)) await runCall(context, each);
  return null;
}

/** Ends the surplus calls in order, in appends of limited size, so that other threads are not delayed. */
async function withoutSurplus(
  context: StepContext,
  calls: readonly Call[],
  tooMany: ReadonlySet<Call>,
): Promise<readonly Call[]> {
  const surplus = calls.filter((call) => tooMany.has(call));
  if (surplus.length === 0) return calls;
  const error = `not made: a message may request at most ${CALLS_PER_MESSAGE} calls, and this one exceeds the limit. Request it in a later message if it is still needed`;
  for (let at = 0; at < surplus.length; at += CALLS_PER_MESSAGE) {
    const some = surplus.slice(at, at + CALLS_PER_MESSAGE);
    await context.pen.append(some.map((call) => ended(context, call, { output: { error }, success: false })));
  }
  return calls.filter((call) => !tooMany.has(call));
}

/** How concurrent pure calls are coordinated: the order of their results, and the limit per run. */
interface Neighbours {
  /** Settles when the earlier calls have appended their results, or failed to. */
  readonly earlier: Promise<unknown>;
  readonly ownPlaces: FairLimiter;
}

/**
 * Runs a pure call within the limits. If the run is canceled while the call waits for its turn, the call was not made. If the
 * pod stops, the call is abandoned to the next owner.
 */
async function inTurn<T>(
  { options, queued, hold, interrupted, canceled }: StepContext,
  { ownPlaces }: Neighbours,
  tool: AnyTool,
  work: () => Promise<T>,
): Promise<T> {
  const unlessStopped = () => {
    if (canceled.aborted) throw new NotMade();
    if (hold.draining) throw new Abandoned();
    hold.lost.throwIfAborted();
    return work();
  };
  const onPod = () =>
    tool.elsewhere === true ? unlessStopped() : options.pureCalls.run(queued.id, interrupted, unlessStopped);
  try {
    return await ownPlaces.run(queued.id, interrupted, onPod);
  } catch (error) {
    hold.lost.throwIfAborted();
    if (!interrupted.aborted || error !== interrupted.reason) throw error;
    throw canceled.aborted ? new NotMade() : new Abandoned();
  }
}

async function runCall(
  context: StepContext,
  checkedCall: CheckedCall,
  neighbours?: Neighbours,
): Promise<void> {
  const { call, input: given, checked } = checkedCall;
  const { hold, pen, queued, options } = context;
  if (hold.draining || context.canceled.aborted) return;
  hold.lost.throwIfAborted();
  if (checked.ok && checked.tool.effect !== 'pure') await refuseIfCanceled(context);
  const operation = checked.ok ? checked.operation : null;
  const end = async (data: CallEnd, done: EntityOperation | null = operation) => {
    await neighbours?.earlier;
    await pen.append([...operated(context, call, done, data.success), ended(context, call, data)]);
  };

  if (call.stage.kind === 'started' && given.ok && !isRepeatable(checked)) {
    const error =
      'outcome unknown: the call was started, and the server stopped before it learned the outcome; the call was not repeated';
    return end({ output: { error }, success: false, outcome: 'unknown' });
  }
  if (!checked.ok || isToStart(call)) {
    const { tool, call: id } = call;
    const title = checked.ok ? checked.tool.words?.(checked.input) : undefined;
    const data = { tool, input: toWireInput(given), call: id, ...(title !== undefined && { title }) };
    const start: Entry = { runId: queued.id, event: { type: 'tool_start', data } };
    await pen.append([start, ...operated(context, call, operation, null)]);
  }
  if (!checked.ok) return end({ output: { error: checked.problem }, success: false });
  const { tool, input } = checked;

  const grace = graceAfterCancel(context, tool);
  const secrets = trackSecrets(context);
  const about = aboutCall(context, call, grace.signal, secrets);
  let afterCommit: readonly (() => Promise<void>)[] = [];
  const asker = createAsker(context, call, async ({ text: reason, schema }) => {
    const entries: Entry[] = [];
    const changes: LoopChange[] = [];
    const id = ask(context, checkedCall, { kind: 'question', reason, schema }, entries, changes);
    await pen.append(entries, changes);
    return id;
  });
  try {
    await options.faults?.(`tool.before_effect.${tool.effect}`);
    if (tool.effect === 'transactional') {
      afterCommit = await transact(context, call, { tool, input, about, secrets, grace, operation });
    } else {
      // The log cannot fence external effects: a pod whose lease may have ended must not start one.
      if (tool.effect === 'external' && !hold.fresh())
        throw new Lost('the last heartbeat is too old to start an external effect');
      await tool.check?.(input, about);
      const notes = takeNotes();
      const work = () => grace.within(tool.run(input, { ...about, ...notes.context, ask: asker.ask }));
      const output = secrets.hide(
        asOutput(tool, await (neighbours ? inTurn(context, neighbours, tool, work) : work())),
      );
      await asker.end();
      await options.faults?.(`tool.after_effect.${tool.effect}`);
      await end(
        succeeded(tool, input, output, notes),
        await operationOf(tool, input, about, operation, output),
      );
    }
  } catch (error) {
    await asker.end();
    if (error instanceof Lost || hold.lost.aborted) throw error;
    if (error instanceof Abandoned) return;
    const outcome = outcomeOf(error, tool);
    const output = secrets.hide({ error: errorForModels(error) });
    await end({ output, success: false, ...(outcome && { outcome }), ...untrustedOf(tool) });
  } finally {
    grace.end();
  }
  for (const work of afterCommit) await work();
}

function outcomeOf(error: unknown, { effect }: AnyTool): CallOutcome | null {
  if (error instanceof NotMade) return 'canceled';
  const isUnknown = error instanceof Overdue || error instanceof OutcomeUnknown;
  return isUnknown && effect !== 'transactional' ? 'unknown' : null;
}

/** An accepted cancel counts at once, even if its wake is still in flight. */
async function refuseIfCanceled({ options, queued }: StepContext): Promise<void> {
  const { rowCount } = await options.pool.query({
    name: 'is_canceled',
    text: 'select from runs where id = $1 and cancel_requested_at is not null',
    values: [queued.id],
  });
  if (rowCount !== 0) throw new CancelWins();
}

interface Transacted {
  readonly tool: Extract<AnyTool, { effect: 'transactional' }>;
  readonly input: never;
  readonly about: Omit<CallContext, keyof Notes['context']>;
  readonly secrets: TrackedSecrets;
  readonly grace: GracePeriod;
  readonly operation: EntityOperation | null;
}

/** Runs a transactional call. Resolves after the commit to the work that the tool registered with `afterCommit`. */
async function transact(
  context: StepContext,
  call: Call,
  { tool, input, about, secrets, grace, operation }: Transacted,
) {
  const { pen, queued, options } = context;
  for (let tries = 1; ; tries += 1) {
    // Each try starts with empty notes: those of a rolled-back try do not count.
    const preparing = takeNotes();
    const prepared: unknown = await grace.within(
      Promise.resolve(tool.prepare?.(input, { ...about, ...preparing.context })),
    );
    try {
      return await pen.transact(async (sql) => {
        const notes = takeNotes(preparing);
        const entries: Entry[] = [];
        const result: (() => Promise<void>)[] = [];
        const output = await grace.within(
          tool.run(input, {
            ...about,
            ...notes.context,
            known: (fileId: string) => notes.collected.versions.get(fileId) ?? about.known(fileId),
            sql,
            prepared,
            emit: (event: NewEvent) => entries.push({ runId: queued.id, event }),
            afterCommit: (work: () => Promise<void>) => result.push(work),
          }),
        );
        await options.faults?.(`tool.after_effect.${tool.effect}`);
        refuseUnapproved(
          call,
          entries.map(({ event }) => event),
          output,
        );
        const wireOutput = secrets.hide(asOutput(tool, output));
        const done = await operationOf(tool, input, about, operation, wireOutput);
        const delta = deltaOfCall(
          call.call,
          entries.map(({ event }) => event),
        );
        if (delta) entries.push({ runId: queued.id, event: { type: 'agent_state_delta', data: delta } });
        entries.push(
          ...operated(context, call, done, true),
          ended(context, call, succeeded(tool, input, wireOutput, notes)),
        );
        return { entries, result };
      });
    } catch (error) {
      if (!(error instanceof Stale) || tries === PREPARE_TRIES) throw error;
    }
  }
}

/** A person approved a call that left certain files in certain versions. If others changed them meanwhile, it is not made. */
function refuseUnapproved({ asked, allowed }: Call, events: readonly NewEvent[], output: unknown): void {
  if (asked?.files === undefined || allowed?.decision !== 'approve') return;
  if (filesAfter(events, output) === asked.files) return;
  throw new ToolFailure(
    'not made: the files were changed after the call was validated and before it was approved, so it would no longer do what was ' +
      'approved. Look at them again, and repeat the call if it is still right',
  );
}

/** The event of what a call does to entities: at its start (`success` is null), or at its end. */
function operated(
  { queued }: StepContext,
  { call }: Call,
  operation: EntityOperation | null,
  success: boolean | null,
): Entry[] {
  if (!operation) return [];
  const status = success === null ? 'start' : success ? 'success' : 'error';
  return [{ runId: queued.id, event: { type: 'operation', data: { ...operation, status, call } } }];
}

/** What a call did to entities; only a call that said so at its start says so at its end. */
async function operationOf(
  tool: AnyTool,
  input: never,
  about: Pick<CallContext, 'workspaceId'>,
  started: EntityOperation | null,
  output: Readonly<Record<string, unknown>>,
): Promise<EntityOperation | null> {
  return started && ((await tool.operation?.(input, about, output)) ?? started);
}

function succeeded(
  tool: AnyTool,
  input: never,
  output: Record<string, unknown>,
  { collected }: Notes,
): CallEnd {
  const summary = tool.summary?.(output, input);
  return {
    output,
    success: true,
    ...(summary !== undefined && { summary }),
    ...(collected.sources.size > 0 && { sources: [...collected.sources] }),
    ...(collected.versions.size > 0 && { versions: Object.fromEntries(collected.versions) }),
    ...(collected.images.length > 0 && { images: [...collected.images] }),
    ...untrustedOf(tool, output),
  };
}

/** Errors count, too: an MCP server writes the text of its own. */
function untrustedOf({ untrusted }: AnyTool, output?: Record<string, unknown>): Pick<CallEnd, 'untrusted'> {
  const isUntrusted = typeof untrusted === 'function' ? output !== undefined && untrusted(output) : untrusted;
  return isUntrusted ? { untrusted: true } : {};
}

class NotMade extends ToolFailure {
  override readonly message = 'the run ended before this call was made';
}
