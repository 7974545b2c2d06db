// Runs the calls of a message. Calls beyond the most that a message may make end at once. Then the policies are asked about
// those that have not been started: one that is denied ends, one that needs approval is parked, and the others run: pure ones
// side by side (`PURE_PER_RUN` of a run, `PURE_PER_POD` of a pod at a time), then the rest one by one in order. A call that
// an earlier attempt started is repeated as its effect class allows.

import { availableParallelism } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { isJsonTooDeep } from '@continuo/engine';
import type {
  ApprovalKind,
  Call,
  CallArguments,
  EventData,
  ImageReference,
  NewEvent,
} from '@continuo/protocol';
import { FairLimiter } from '../../fair-limiter.ts';
import { isTooDeep, TOO_DEEP } from '../../json-depth.ts';
import type { Change, Entry } from '../../log/group.ts';
import { CancelWins, Lost } from '../../log/pen.ts';
import { judge, normalPath } from '../../tools/policy.ts';
import type { AnyTool } from '../../tools/registry.ts';
import { errorForModels, OutcomeUnknown, Stale, ToolFailure, type CallContext } from '../../tools/tool.ts';
import { CALLS_PER_MESSAGE } from '../../models/model.ts';
import { yieldWithAbortCheck } from '../../yielding.ts';
import type { RunState } from '../../threads/fold.ts';
import { readPolicy } from '../../tools/policies.ts';
import { Abandoned, createAsker } from '../approvals/questions.ts';
import type { StepContext } from './step.ts';

/** Pure calls that run at a time: of one run, and of all runs of a pod together. */
const PURE_PER_RUN = 8;
const PURE_PER_POD = 2 * availableParallelism();

/** The places for pure calls of a pod. */
export function createPureCalls(): FairLimiter {
  return new FairLimiter(PURE_PER_POD);
}

/** How often a call is prepared again because somebody else was faster. */
const PREPARE_TRIES = 100;

type End = Omit<EventData['tool_end'], 'tool' | 'call'>;

interface CheckedCall {
  readonly call: Call;
  /** What it is made with, if that can be kept. */
  readonly input: CallArguments;
  readonly checked: Checked;
}

export async function runTools(context: StepContext, run: RunState, calls: readonly Call[]): Promise<null> {
  if (context.hold.draining || context.canceled.aborted) return null;
  const surplus = run.calls.slice(CALLS_PER_MESSAGE);
  const made = await withoutSurplus(context, calls, new Set(surplus));
  const allowed = await withoutRefused(context, await checkAll(context, made));
  const isPure = ({ checked }: CheckedCall) => checked.ok && checked.tool.effect === 'pure';
  // The log's order follows from the message alone, not from which call is faster: the results of pure calls are written in
  // the order of the calls, and the other calls begin after them. A pure call whose result was not written yet when the pod
  // died is made again.
  const ownPlaces = new FairLimiter(PURE_PER_RUN);
  let earlier: Promise<unknown> = Promise.resolve();
  const atOnce = allowed.filter(isPure).map((each) => {
    const run = runCall(context, each, { earlier, ownPlaces });
    earlier = Promise.allSettled([earlier, run]);
    return run;
  });
  // All must end before the step does: a failure in one must not leave the others running unseen.
  const outcomes = await Promise.allSettled(atOnce);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  for (const each of allowed) if (!isPure(each)) await runCall(context, each);
  return null;
}

/** Ends the calls that are too many, in their order, so many in one append that others have their turn in between. */
async function withoutSurplus(
  context: StepContext,
  calls: readonly Call[],
  tooMany: ReadonlySet<Call>,
): Promise<readonly Call[]> {
  const surplus = calls.filter((call) => tooMany.has(call));
  if (surplus.length === 0) return calls;
  const error = `not made: a message makes at most ${CALLS_PER_MESSAGE} calls, and this one came after them. Make it again in a later message if it is still needed`;
  for (let at = 0; at < surplus.length; at += CALLS_PER_MESSAGE) {
    const some = surplus.slice(at, at + CALLS_PER_MESSAGE);
    await context.pen.append(some.map((call) => ended(context, call, { output: { error }, success: false })));
  }
  return calls.filter((call) => !tooMany.has(call));
}

/** Inputs may be large, and there may be many: others have their turn in between. */
async function checkAll(context: StepContext, calls: readonly Call[]): Promise<readonly CheckedCall[]> {
  const checked: CheckedCall[] = [];
  for (const [index, call] of calls.entries()) {
    if (index > 0) await yieldWithAbortCheck({ mode: 'fast', signal: context.hold.lost });
    const input = keptInput(call.input);
    checked.push({ call, input, checked: check(context, call.tool, input) });
  }
  return checked;
}

/** What a pure call has to do with its neighbours: its result is written after theirs, and it waits for a place. */
interface Neighbours {
  /** Settles when the results of the earlier calls are written, or never will be. */
  readonly earlier: Promise<unknown>;
  readonly ownPlaces: FairLimiter;
}

/** Does the work of a pure call when there is a place for it. If the run is stopped while it waits, the call is abandoned. */
async function inTurn<T>(
  { options, queued, hold, interrupted, canceled }: StepContext,
  { ownPlaces }: Neighbours,
  tool: AnyTool,
  work: () => Promise<T>,
): Promise<T> {
  const unlessStopped = () => {
    if (hold.draining || canceled.aborted) throw new Abandoned();
    hold.lost.throwIfAborted();
    return work();
  };
  const onPod = () =>
    tool.elsewhere === true ? unlessStopped() : options.pureCalls.run(queued.id, interrupted, unlessStopped);
  try {
    return await ownPlaces.run(queued.id, interrupted, onPod);
  } catch (error) {
    hold.lost.throwIfAborted();
    if (interrupted.aborted && error === interrupted.reason) throw new Abandoned();
    throw error;
  }
}

/** The calls that may run now. Of the others, the log says why not. */
async function withoutRefused(
  context: StepContext,
  calls: readonly CheckedCall[],
): Promise<readonly CheckedCall[]> {
  const { hold, pen, options, agent, workspaceId } = context;
  if (hold.draining || context.canceled.aborted) return [];
  if (!calls.some(({ call, checked }) => needsVerdict(call, checked))) return calls;
  const workspace = (await readPolicy(options.pool, workspaceId)) ?? [];
  const refused: Entry[] = [];
  const changes: Change[] = [];
  const allowed = calls.filter((each) => {
    const { call, checked } = each;
    if (!checked.ok || !needsVerdict(call, checked)) return true;
    const { name: tool, effect } = checked.tool;
    const { action, reason } = judge(
      { tool, effect, paths: checked.paths },
      { workspace, role: agent.permissions },
    );
    if (call.stage.kind === 'started') {
      if (action !== 'ask') return true;
      ask(context, each, { kind: 'unknown_outcome', reason: UNKNOWN }, refused, changes);
      return false;
    }
    if (action === 'allow' || (action === 'ask' && call.stage.kind === 'allowed')) return true;
    if (action === 'deny') {
      const error = `denied: ${reason}. Nothing was done. Do not repeat the call: go on without it, or say what you would need`;
      refused.push(ended(context, call, { output: { error }, success: false, outcome: 'denied' }));
      return false;
    }
    ask(context, each, { kind: 'call', reason }, refused, changes);
    return false;
  });
  if (refused.length > 0) await pen.append(refused, changes);
  return allowed;
}

const UNKNOWN =
  'the call was started, and the server stopped before it was known to be finished; is it to be made again?';

/** A new call; or one that was started elsewhere, and that nothing but a person's word can repeat. */
function needsVerdict(call: Call, checked: Checked): boolean {
  if (!checked.ok) return false;
  return isToStart(call) || (call.stage.kind === 'started' && !isRepeatable(checked));
}

/** Not started by any attempt, or allowed to be started again. */
function isToStart({ stage }: Call): boolean {
  return stage.kind === 'requested' || stage.kind === 'allowed';
}

/** Adds a question to what is written. */
function ask(
  { queued, options, workspaceId }: StepContext,
  { call, input: given, checked }: CheckedCall,
  {
    kind,
    reason,
    schema,
  }: {
    readonly kind: ApprovalKind;
    readonly reason: string;
    readonly schema?: Readonly<Record<string, unknown>>;
  },
  entries: Entry[],
  changes: Change[],
): string {
  const paths = checked.ok ? [...new Set(checked.paths.map(normalPath))] : [];
  const expires_at =
    options.approvalMs === null ? null : new Date(options.now() + options.approvalMs).toISOString();
  const asked = { call: call.call, tool: call.tool, paths, reason };
  const id = uuidv7();
  const input = toWireInput(given);
  changes.push({
    kind: 'approval',
    event: entries.length,
    id,
    workspace: workspaceId,
    run: queued.id,
    subkind: kind,
    content: schema ?? input,
    expires_at,
    ...asked,
  });
  const data = {
    approval: id,
    kind,
    input,
    ...asked,
    ...(schema && { schema }),
    ...(expires_at !== null && { expires_at }),
  };
  entries.push({ runId: queued.id, event: { type: 'approval', data } });
  return id;
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
  const end = async (data: End) => {
    await neighbours?.earlier;
    await pen.append([ended(context, call, data)]);
  };

  if (call.stage.kind === 'started' && given.ok && !isRepeatable(checked)) {
    const error =
      'outcome unknown: the call was started, and the server stopped before it was known to be finished; it was not repeated';
    return end({ output: { error }, success: false, outcome: 'unknown' });
  }
  if (!checked.ok || isToStart(call)) {
    const { tool, call: id } = call;
    const title = checked.ok ? checked.tool.words?.(checked.input) : undefined;
    const data = { tool, input: toWireInput(given), call: id, ...(title !== undefined && { title }) };
    await pen.append([{ runId: queued.id, event: { type: 'tool_start', data } }]);
  }
  if (!checked.ok) return end({ output: { error: checked.problem }, success: false });
  const { tool, input } = checked;

  const grace = graceAfterCancel(context);
  const about = {
    workspaceId: context.workspaceId,
    threadId: hold.threadId,
    runId: queued.id,
    callId: call.call,
    key: `${queued.id}:${call.call}`,
    signal: grace.signal,
    known: (fileId: string) => context.known(fileId),
  };
  let afterCommit: readonly (() => Promise<void>)[] = [];
  const asker = createAsker(context, call, async ({ text: reason, schema }) => {
    const entries: Entry[] = [];
    const changes: Change[] = [];
    const id = ask(context, checkedCall, { kind: 'question', reason, schema }, entries, changes);
    await pen.append(entries, changes);
    return id;
  });
  try {
    await options.faults?.(`tool.before_effect.${tool.effect}`);
    if (tool.effect === 'transactional') {
      afterCommit = await transact(context, call, { tool, input, about, grace });
    } else {
      // Nothing fences what happens outside: a pod that may have been given up must not begin.
      if (tool.effect === 'external' && !hold.fresh())
        throw new Lost('the lease is too old for an external effect');
      const notes = takeNotes();
      const work = () => grace.within(tool.run(input, { ...about, ...notes.context, ask: asker.ask }));
      const output = asObject(await (neighbours ? inTurn(context, neighbours, tool, work) : work()));
      await asker.end();
      await options.faults?.(`tool.after_effect.${tool.effect}`);
      await end(succeeded(tool, input, output, notes));
    }
  } catch (error) {
    await asker.end();
    if (error instanceof Lost || hold.lost.aborted) throw error;
    if (error instanceof Abandoned) return;
    const unknown = error instanceof Overdue || error instanceof OutcomeUnknown;
    const outcome = unknown && tool.effect !== 'transactional' ? { outcome: 'unknown' as const } : {};
    await end({ output: { error: errorForModels(error) }, success: false, ...outcome });
  } finally {
    grace.end();
  }
  for (const work of afterCommit) await work();
}

/** A cancel that was accepted counts from then on, also if its wake-up is still on its way. */
async function refuseIfCanceled({ options, queued }: StepContext): Promise<void> {
  const { rowCount } = await options.pool.query({
    name: 'is_canceled',
    text: 'select from runs where id = $1 and cancel_requested_at is not null',
    values: [queued.id],
  });
  if (rowCount !== 0) throw new CancelWins('the run was canceled');
}

interface Transacted {
  readonly tool: Extract<AnyTool, { effect: 'transactional' }>;
  readonly input: never;
  readonly about: Omit<CallContext, keyof Notes['context']>;
  readonly grace: ReturnType<typeof graceAfterCancel>;
}

/** Resolves after the commit with what is to be done then. */
async function transact(context: StepContext, call: Call, { tool, input, about, grace }: Transacted) {
  const { pen, queued, options } = context;
  for (let tries = 1; ; tries += 1) {
    // Each try begins with empty pages: what one that was undone said does not count.
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
            known: (fileId: string) => notes.told.versions.get(fileId) ?? about.known(fileId),
            sql,
            prepared,
            emit: (event: NewEvent) => entries.push({ runId: queued.id, event }),
            afterCommit: (work: () => Promise<void>) => result.push(work),
          }),
        );
        await options.faults?.(`tool.after_effect.${tool.effect}`);
        entries.push(ended(context, call, succeeded(tool, input, asObject(output), notes)));
        return { entries, result };
      });
    } catch (error) {
      if (!(error instanceof Stale) || tries === PREPARE_TRIES) throw error;
    }
  }
}

function ended(context: StepContext, call: Call, data: End) {
  const event = { type: 'tool_end' as const, data: { tool: call.tool, ...data, call: call.call } };
  return { runId: context.queued.id, event };
}

function succeeded(tool: AnyTool, input: never, output: Record<string, unknown>, { told }: Notes): End {
  const summary = tool.summary?.(output, input);
  return {
    output,
    success: true,
    ...(summary !== undefined && { summary }),
    ...(told.sources.size > 0 && { sources: [...told.sources] }),
    ...(told.versions.size > 0 && { versions: Object.fromEntries(told.versions) }),
    ...(told.images.length > 0 && { images: [...told.images] }),
  };
}

interface Notes {
  readonly told: {
    readonly sources: ReadonlySet<string>;
    readonly versions: ReadonlyMap<string, number>;
    readonly images: readonly ImageReference[];
  };
  readonly context: Pick<CallContext, 'used' | 'learned' | 'show'>;
}

/** What a call says of itself besides its output. */
function takeNotes(before?: Notes): Notes {
  const sources = new Set(before?.told.sources);
  const versions = new Map(before?.told.versions);
  const images = [...(before?.told.images ?? [])];
  return {
    told: { sources, versions, images },
    context: {
      used: (fileId) => void sources.add(fileId),
      learned: (fileId, version) => void versions.set(fileId, version),
      show: (image) => void images.push(image),
    },
  };
}

type Checked =
  | { ok: true; tool: AnyTool; input: never; paths: readonly string[] }
  | { ok: false; problem: string };

/** Arguments that are nested too deep cannot be kept. The model is told, as it is of arguments that are not JSON. */
export function keptInput(input: CallArguments): CallArguments {
  if (!(input.ok ? isTooDeep(input.value) : isJsonTooDeep(input.raw))) return input;
  return { ok: false, raw: '', problem: `the input is ${TOO_DEEP}. Nothing was done. Send it flatter` };
}

function check({ tools }: StepContext, name: string, given: CallArguments): Checked {
  if (!given.ok) return { ok: false, problem: given.problem };
  const tool = tools.get(name);
  if (!tool) {
    const known = tools.names.join(', ') || 'none';
    return { ok: false, problem: `there is no tool named ${name}; the tools are: ${known}` };
  }
  try {
    const parsed = tool.input.safeParse(given.value);
    if (parsed.success) {
      const input = parsed.data as never;
      return { ok: true, tool, input, paths: tool.paths?.(input) ?? [] };
    }
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
    return { ok: false, problem: `the input does not fit the tool's schema: ${issues.join('; ')}` };
  } catch (error) {
    return { ok: false, problem: `the input could not be checked: ${errorForModels(error)}` };
  }
}

/** Tools come and go: one that is gone, or takes another input now, may have been called. */
function isRepeatable(checked: Checked): boolean {
  return checked.ok && checked.tool.effect !== 'external';
}

class Overdue extends ToolFailure {
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

/** What the log says of an input; nothing where it is not JSON, or nested too deep. */
function toWireInput(input: CallArguments): Record<string, unknown> {
  return input.ok ? asObject(input.value) : {};
}

/** Inputs and outputs are objects on the wire; anything else is put into one. */
function asObject(value: unknown): Record<string, unknown> {
  if (isTooDeep(value))
    throw new Error(`the call was made, but its result is ${TOO_DEEP} and cannot be kept`);
  const plain: unknown = JSON.parse(JSON.stringify(value ?? {}));
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    ? (plain as Record<string, unknown>)
    : { result: plain };
}
