// Runs the calls of a message. Calls beyond the limit per message end at once. The policies then judge the calls that have
// not started: a denied call ends, a call that needs approval is parked, and the others run. Pure calls run concurrently
// (`PURE_PER_RUN` of a run, `PURE_PER_POD` of a pod at a time), then the rest one by one in order. A call that an earlier
// attempt started is repeated if its effect class allows it.

import { availableParallelism } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { isJsonTooDeep } from '@continuo/engine';
import type {
  ApprovalKind,
  Call,
  CallArguments,
  CallOutcome,
  EventData,
  ImageReference,
  NewEvent,
} from '@continuo/protocol';
import { deltaOfCall } from '../../context/agent-state.ts';
import { rulesOfMode } from '../../context/mode.ts';
import { isUntrusted } from '../../context/untrusted.ts';
import { FairLimiter } from '../../fair-limiter.ts';
import { withoutSecretsIn } from '../../hidden-values.ts';
import { isTooDeep, TOO_DEEP } from '../../json-depth.ts';
import type { Entry } from '../../log/group.ts';
import { Lost } from '../../log/pen.ts';
import { CancelWins, type LoopChange } from '../changes.ts';
import { judge, normalPath } from '../../tools/policy.ts';
import type { AnyTool } from '../../tools/registry.ts';
import {
  errorForModels,
  OutcomeUnknown,
  Stale,
  ToolFailure,
  type CallContext,
  type EntityOperation,
} from '../../tools/tool.ts';
import { CALLS_PER_MESSAGE } from '../../models/model.ts';
import { yieldWithAbortCheck } from '../../yielding.ts';
import type { RunState } from '../../threads/fold.ts';
import { readPolicy } from '../../tools/policies.ts';
import { SecretUnavailable } from '../../workspaces/secrets.ts';
import { Abandoned, createAsker } from '../approvals/questions.ts';
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

type End = Omit<EventData['tool_end'], 'tool' | 'call'>;

interface CheckedCall {
  readonly call: Call;
  /** The arguments, or why they cannot be stored. */
  readonly input: CallArguments;
  readonly checked: Checked;
}

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

/** Yields between the calls, because there may be many, with large inputs. */
async function checkAll(context: StepContext, calls: readonly Call[]): Promise<readonly CheckedCall[]> {
  const checked: CheckedCall[] = [];
  for (const [index, call] of calls.entries()) {
    if (index > 0) await yieldWithAbortCheck({ mode: 'fast', signal: context.hold.lost });
    const input = keptInput(call.input);
    checked.push({ call, input, checked: await check(context, call, input) });
  }
  return checked;
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

/** Returns the calls that may run now. For the others, appends a denial or an approval request. */
async function withoutRefused(
  context: StepContext,
  calls: readonly CheckedCall[],
): Promise<readonly CheckedCall[]> {
  const { hold, pen, options, agent, workspaceId } = context;
  if (hold.draining || context.canceled.aborted) return [];
  if (!calls.some(({ call, checked }) => needsVerdict(call, checked))) return calls;
  const workspace = (await readPolicy(options.pool, workspaceId)) ?? [];
  const afterUntrusted = context.history.some(({ entry }) => isUntrusted(entry));
  const refused: Entry[] = [];
  const changes: LoopChange[] = [];
  const allowed = calls.filter((each) => {
    const { call, checked } = each;
    if (!checked.ok || !needsVerdict(call, checked)) return true;
    const { name: tool, effect, like } = checked.tool;
    const { action, reason } = judge(
      { tool, effect, like, paths: checked.paths, afterUntrusted },
      { workspace, role: agent.permissions, mode: rulesOfMode(context.mode) },
    );
    if (call.stage.kind === 'started') {
      if (action !== 'ask') return true;
      ask(context, each, { kind: 'unknown_outcome', reason: UNKNOWN }, refused, changes);
      return false;
    }
    if (action === 'allow' || (action === 'ask' && call.stage.kind === 'allowed')) return true;
    if (action === 'deny') {
      const error = `denied: ${reason}. Nothing was done. Do not repeat the call: continue without it, or say what you need`;
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
  'the call was started, and the server stopped before it learned the outcome; should the call be made again?';

/** A call that has not started, or one that an earlier attempt started and only a person can allow to repeat. */
function needsVerdict(call: Call, checked: Checked): boolean {
  if (!checked.ok) return false;
  return isToStart(call) || (call.stage.kind === 'started' && !isRepeatable(checked));
}

/** The call has not started, or a person allowed it to start again. */
function isToStart({ stage }: Call): boolean {
  return stage.kind === 'requested' || stage.kind === 'allowed';
}

/** Adds an approval request to the entries and changes. Returns its id. */
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
  changes: LoopChange[],
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
    subkind: kind,
    input: schema ?? input,
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
  const operation = checked.ok ? checked.operation : null;
  const end = async (data: End, done: EntityOperation | null = operation) => {
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
  const about = {
    workspaceId: context.workspaceId,
    threadId: hold.threadId,
    runId: queued.id,
    callId: call.call,
    principal: queued.principal,
    key: `${queued.id}:${call.call}`,
    signal: grace.signal,
    known: (fileId: string) => context.known(fileId),
    secret: (name: string) => secrets.read(name),
  };
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

interface TrackedSecrets {
  read(name: string): Promise<string>;
  /** The output without the values that were read. */
  hide(output: Record<string, unknown>): Record<string, unknown>;
}

/** The secrets that a call reads: none of them gets into the log with its output. */
function trackSecrets({ options, workspaceId }: StepContext): TrackedSecrets {
  const values: string[] = [];
  return {
    read: async (name) => {
      const value = await options.secrets.read(workspaceId, name).catch((error: unknown) => {
        throw error instanceof SecretUnavailable ? new ToolFailure(error.message) : error;
      });
      values.push(value);
      return value;
    },
    hide: (output) => withoutSecretsIn(output, values) as Record<string, unknown>,
  };
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
  readonly grace: ReturnType<typeof graceAfterCancel>;
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

function ended(context: StepContext, call: Call, data: End) {
  const event = { type: 'tool_end' as const, data: { tool: call.tool, ...data, call: call.call } };
  return { runId: context.queued.id, event };
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

function succeeded(tool: AnyTool, input: never, output: Record<string, unknown>, { collected }: Notes): End {
  const summary = tool.summary?.(output, input);
  return {
    output,
    success: true,
    ...(summary !== undefined && { summary }),
    ...(collected.sources.size > 0 && { sources: [...collected.sources] }),
    ...(collected.versions.size > 0 && { versions: Object.fromEntries(collected.versions) }),
    ...(collected.images.length > 0 && { images: [...collected.images] }),
    ...untrustedOf(tool),
  };
}

/** Errors count, too: an MCP server writes the text of its own. */
function untrustedOf({ untrusted }: AnyTool): Pick<End, 'untrusted'> {
  return untrusted ? { untrusted } : {};
}

interface Notes {
  readonly collected: {
    readonly sources: ReadonlySet<string>;
    readonly versions: ReadonlyMap<string, number>;
    readonly images: readonly ImageReference[];
  };
  readonly context: Pick<CallContext, 'used' | 'learned' | 'show'>;
}

/** Collects what a call reports besides its output: sources, file versions and images. */
function takeNotes(before?: Notes): Notes {
  const sources = new Set(before?.collected.sources);
  const versions = new Map(before?.collected.versions);
  const images = [...(before?.collected.images ?? [])];
  return {
    collected: { sources, versions, images },
    context: {
      used: (fileId) => void sources.add(fileId),
      learned: (fileId, version) => void versions.set(fileId, version),
      show: (image) => void images.push(image),
    },
  };
}

type Checked =
  | {
      ok: true;
      tool: AnyTool;
      input: never;
      paths: readonly string[];
      operation: EntityOperation | null;
    }
  | { ok: false; problem: string };

/** Arguments that are nested too deep cannot be stored. They are reported to the model, like arguments that are not JSON. */
export function keptInput(input: CallArguments): CallArguments {
  if (!(input.ok ? isTooDeep(input.value) : isJsonTooDeep(input.raw))) return input;
  return { ok: false, raw: '', problem: `the input is ${TOO_DEEP}. Nothing was done. Send it flatter` };
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
function isRepeatable(checked: Checked): boolean {
  return checked.ok && checked.tool.effect !== 'external';
}

class NotMade extends ToolFailure {
  override readonly message = 'the run ended before this call was made';
}

class Overdue extends ToolFailure {
  override readonly message = 'the call did not end within its grace period after the run was canceled';
}

/** After a cancel, a running call has a grace period to finish. Then it is aborted, and the step does not wait for it. */
function graceAfterCancel({ canceled, hold, options }: StepContext, { graceMs }: AnyTool) {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  const overdue = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () =>
      reject(hold.lost.aborted ? new Lost('the thread was lost') : new Overdue()),
    );
  });
  overdue.catch(() => undefined);
  const patience = graceMs ?? options.cancelGraceMs;
  const onCancel = () => (timer = setTimeout(() => stop.abort(), patience));
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

/** An input as the log holds it; empty if it is not JSON, or nested too deep. */
function toWireInput(input: CallArguments): Record<string, unknown> {
  return input.ok ? asObject(input.value) : {};
}

/** A result as the log holds it. One that is nested too deep fails the call, and rolls a transactional call back. */
function asOutput({ effect }: AnyTool, value: unknown): Record<string, unknown> {
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
