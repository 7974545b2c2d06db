// Everything that the code makes of a log, as text that can be compared line by line. This is the only file of the oracle
// that imports the modules under test: when they move or merge, mend the imports here and leave the fixtures as they are.

import { createHash } from 'node:crypto';
import {
  agent,
  agUi,
  aiSdk,
  foldView,
  isOpen,
  neverBegan,
  newView,
  prependEvents,
  runs,
  thread,
  threadEventJson,
  waitingCalls,
  workspace,
  everyOpenCall,
  type Call,
  type LogEvent,
  type RunDialect,
  type ViewEvent,
  agentStateOf,
  currentSummary,
} from '@continuo/protocol';
import {
  positionAtStart,
  DialectWriter,
  unnumbered,
  type DialectBinding,
} from '../../src/http/streams/dialect-stream.ts';
import { fromRow, type EventRow, type StoredEvent } from '../../src/log/event.ts';
import { Batch } from '../../src/log/follow.ts';
import {
  decide,
  type DecisionRules,
  type Facts,
  type Limits,
  type QueuedRun,
  type Step,
} from '../../src/runs/loop/decide.ts';
import {
  EMPTY,
  fold,
  foldAll,
  noteOn,
  pendingApproval,
  type RunState,
  type ThreadState,
} from '../../src/threads/fold.ts';
import { shownHistory } from '../../src/context/history.ts';
import { CALLS_PER_MESSAGE } from '../../src/models/model.ts';
import { keptInput } from '../../src/runs/steps/run-tools.ts';
import { transcript } from '../../src/threads/chats/transcript.ts';
import { changeLines, plain } from './changes.ts';

export type { StoredEvent } from '../../src/log/event.ts';

/** One event of a recorded log, from its row. */
export function storedEvent(row: EventRow): StoredEvent {
  return fromRow(row);
}

/** By name: what is made of a log. Each is stored in a folder of its own. */
export const PROJECTIONS = {
  state: stateLines,
  decisions: decisionLines,
  prompt: promptLines,
  frames: frameLines,
  transcript: (log: readonly StoredEvent[]) => transcript(log).split('\n'),
  view: viewLines,
} satisfies Record<string, (log: readonly StoredEvent[]) => string[]>;

export type ProjectionName = keyof typeof PROJECTIONS;

// ——— the run loop's state

/** What changes in the state with each event, and whether folding in one go gives the same. */
function stateLines(log: readonly StoredEvent[]): string[] {
  let state = EMPTY;
  const states = log.map((event) => ({ event, value: stateMeaning((state = fold(state, event))) }));
  const byEvent = plain(stateMeaning(state));
  const inOneGo = plain(stateMeaning(foldAll(EMPTY, log)));
  return [
    ...changeLines(stateMeaning(EMPTY), states),
    `# folded in one go: ${inOneGo === byEvent ? 'the same' : inOneGo}`,
  ];
}

/**
 * What a state means, without its shape: a change of the shape is mended here. Where the meaning itself changes on purpose,
 * only the fixtures of `state` may be rewritten.
 */
function stateMeaning(state: ThreadState) {
  const { seq, session, history, omitted, known, refused, tooLong, scope, memory, run } = state;
  return {
    seq,
    session: session && { id: session.id, state: session.state, since: session.since },
    history: history.map(({ runId, seq: at, entry, summary, images, attached }) => ({
      run: runId,
      seq: at,
      message: entry,
      summary,
      images,
      files: attached,
    })),
    omitted,
    known: known.map(({ file, version, seq: at }) => ({ file, version, seq: at })),
    refused: refused.map(({ model, file, v }) => ({ model, file, version: v })),
    too_long: tooLong,
    scope,
    summary: currentSummary(memory)?.data.version,
    summary_failed: memory.failed,
    agent_state: agentStateOf(memory, 'chat'),
    run: run && runMeaning(run),
  };
}

function runMeaning(run: RunState) {
  return {
    id: run.id,
    first_seq: run.firstSeq,
    seq: run.seq,
    held_by: run.heldBy,
    attempts: run.attempts,
    attempts_without_progress: run.stalled,
    retries: run.retries,
    started_at: run.startedAt,
    messages: run.messages,
    open_message: run.open,
    last_message: run.last && {
      message: run.last.message,
      text: run.last.text,
      error: run.last.end.kind === 'failed' ? run.last.end.error : null,
      cut: run.last.end.kind !== 'complete',
    },
    calls: run.calls.map(callMeaning),
    steered: run.steered,
    unanswered: run.unanswered,
    rests: restMeaning(run),
    rests_since: run.rest?.since ?? null,
    rested_ms: run.restedMs,
    model_calls: run.modelCalls,
    usage: run.usage,
    cost: run.cost,
    sources: run.sources,
    ...(run.children.length > 0 && { children: run.children }),
  };
}

/** A run that is paused may wait for people as well. */
function restMeaning({ rest, calls }: RunState) {
  const started = calls.filter(({ stage }) => stage.kind === 'started');
  return {
    for_approvals: everyOpenCall(calls, (stage) => pendingApproval({ stage }) !== null),
    for_an_answer: everyOpenCall(started, (stage) => stage.kind === 'started' && stage.question !== null),
    paused: rest?.for === 'resume',
  };
}

function callMeaning(each: Call, index: number) {
  const { call, tool } = each;
  const input = keptInput(each.input);
  return {
    call,
    tool,
    input: input.ok ? input.value : null,
    problem: input.ok ? null : input.problem,
    surplus: index >= CALLS_PER_MESSAGE,
    note: noteOn(each),
    stage: stageMeaning(each),
  };
}

function stageMeaning(call: Call) {
  const { stage } = call;
  const asked = pendingApproval(call);
  if (asked) {
    const { approval, kind: about, paths, expires_at } = asked;
    const expiresAt = expires_at === undefined ? null : Date.parse(expires_at);
    return { kind: 'asked', approval, about, paths, expiresAt };
  }
  if (stage.kind === 'requested') return { kind: 'planned' };
  if (stage.kind === 'allowed') return { kind: 'planned', approved: true };
  if (stage.kind !== 'started') return stage;
  return {
    kind: 'started',
    ...(stage.question !== null && { question: stage.question }),
    ...(stage.operation && { operation: stage.operation }),
  };
}

// ——— decisions

const NO_LIMITS: Limits = { steps: 100, tokens: null, cost: null, seconds: null };
const RULES: DecisionRules = {
  idleMs: 600_000,
  memory: { model: null, turns: 20, characters: 5000, tokens: 16_000, summaryLines: 5 },
};
const HOUR_MS = 3_600_000;

/** Where a log stands, and the runs that may be in the facts. */
interface Place {
  readonly now: number;
  readonly attempt: number;
  /** The run that has begun, or else the next one, with nothing asked of it. */
  readonly first: QueuedRun | null;
  /** The run after that. */
  readonly second: QueuedRun | null;
  /** The ids of all approvals that were asked for so far. */
  readonly approvals: readonly string[];
}

interface Asked {
  readonly facts: Partial<Facts>;
  readonly attempt?: number;
}

/** What people may want at a place. A log does not say what the facts were, so every place is asked with all of these. */
const WISHES: Readonly<Record<string, (place: Place) => Asked>> = {
  nothing: (place) => ({ facts: { runs: rowsOf(place) } }),
  'another pod': (place) => ({ facts: { runs: rowsOf(place) }, attempt: place.attempt + 1 }),
  'no row': () => ({ facts: {} }),
  cancel: (place) => ({ facts: { runs: rowsOf(place, { cancel: 'user_cancelled' }) } }),
  'cancel the next': (place) => ({ facts: { runs: rowsOf(place, {}, { cancel: 'user_cancelled' }) } }),
  'cancel the next, which rewinds': (place) => ({
    facts: { runs: rowsOf(place, {}, { cancel: 'user_cancelled', rewindTo: 0 }) },
  }),
  pause: (place) => ({ facts: { runs: rowsOf(place, { pause: true }) } }),
  'pause, another pod': (place) => ({
    facts: { runs: rowsOf(place, { pause: true }) },
    attempt: place.attempt + 1,
  }),
  steer: (place) => ({ facts: { runs: rowsOf(place, { steers: [{ id: 'steer', content: 'and this' }] }) } }),
  decided: (place) => ({ facts: { runs: rowsOf(place, { decisions: decidedAll(place) }) } }),
  'decided, another pod': (place) => ({
    facts: { runs: rowsOf(place, { decisions: decidedAll(place) }) },
    attempt: place.attempt + 1,
  }),
  'one step': (place) => limited(place, { steps: 1 }),
  'one token': (place) => limited(place, { tokens: 1 }),
  'hardly any cost': (place) => limited(place, { cost: 0.000001 }),
  'one second, an hour later': (place) => limited(place, { seconds: 1 }, HOUR_MS),
  stop: () => ({ facts: { stop: true } }),
  title: () => ({ facts: { titleWanted: true } }),
  'an hour later': ({ now }) => ({ facts: { now: now + HOUR_MS } }),
  'an hour later, with a ping': ({ now }) => ({ facts: { now: now + HOUR_MS, pingedAt: now + HOUR_MS } }),
};

function limited(place: Place, limits: Partial<Limits>, laterMs = 0): Asked {
  const runRows = rowsOf(place, { limits: { ...NO_LIMITS, ...limits } });
  return { facts: { runs: runRows, now: place.now + laterMs } };
}

function decidedAll({ approvals }: Place): QueuedRun['decisions'] {
  return new Map(approvals.map((id) => [id, { decision: 'approve', input: null, comment: null }]));
}

function rowsOf(
  { first, second }: Place,
  ofFirst: Partial<QueuedRun> = {},
  ofSecond: Partial<QueuedRun> = {},
): QueuedRun[] {
  return [...(first ? [{ ...first, ...ofFirst }] : []), ...(second ? [{ ...second, ...ofSecond }] : [])];
}

/**
 * What is decided after each event, where it is not what was decided after the event before. A wish that changes nothing is
 * left out: its answer is that of `nothing`.
 */
function decisionLines(log: readonly StoredEvent[]): string[] {
  let state = EMPTY;
  let last = '';
  const runIds = runIdsIn(log);
  const nameOf = (runId: string) => `r${runIds.indexOf(runId) + 1}`;
  return log.flatMap((event, index) => {
    state = fold(state, event);
    const answers = answersAt(state, placeIn(log, index, state), nameOf);
    const told = Object.entries(answers).filter(
      ([w, answer]) => w === 'nothing' || answer !== answers.nothing,
    );
    const line = plain(Object.fromEntries(told));
    if (line === last) return [];
    last = line;
    return [`${event.seq} ${event.type} ${line}`];
  });
}

function answersAt(
  state: ThreadState,
  place: Place,
  nameOf: (runId: string) => string,
): Record<string, string> {
  const none = {
    runs: [],
    workspaceId: 'workspace',
    stop: false,
    pingedAt: null,
    titleWanted: false,
    stateEdits: [],
  };
  return Object.fromEntries(
    Object.entries(WISHES).map(([wish, asks]) => {
      const { facts, attempt = place.attempt } = asks(place);
      const step = decide(state, { now: place.now, ...none, ...facts }, attempt, RULES);
      return [wish, stepMeaning(step, nameOf)];
    }),
  );
}

function placeIn(log: readonly StoredEvent[], index: number, state: ThreadState): Place {
  const { at, attempt } = log[index]!;
  const past = log.slice(0, index + 1);
  const begun = new Set(past.map(({ runId }) => runId));
  const later = log.flatMap(({ runId }) => (runId === null || begun.has(runId) ? [] : [runId]));
  const [first = null, second = null] = [...new Set([...(state.run ? [state.run.id] : []), ...later])];
  return {
    now: at.getTime(),
    attempt,
    first: first === null ? null : queued(log, first, 1),
    second: second === null ? null : queued(log, second, 2),
    approvals: past.flatMap((event) => (event.type === 'approval' ? [event.data.approval] : [])),
  };
}

function queued(log: readonly StoredEvent[], id: string, ordinal: number): QueuedRun {
  const said = log.flatMap((event) =>
    event.type === 'message' && event.runId === id && !event.data.steer ? [event.data] : [],
  );
  const steers = log.flatMap((event) =>
    event.type === 'message' && event.runId === id && event.data.steer ? [event.data] : [],
  );
  return {
    id,
    ordinal,
    message: said[0] ?? { id: 'none', content: '' },
    model: 'offline/script',
    role: 'assistant',
    cancel: null,
    pause: false,
    rewindTo: null,
    steers,
    decisions: new Map(),
    limits: NO_LIMITS,
    queuedAt: 0,
    workspaceId: 'workspace',
    principal: { kind: 'local' },
  };
}

/** A step in words: which kind, and of which runs (`r1` is the log's first), calls and messages. */
function stepMeaning(step: Step, name: (runId: string) => string): string {
  switch (step.kind) {
    case 'start':
    case 'take_over':
    case 'call_model':
    case 'settle':
    case 'conduct':
    case 'pause':
    case 'resume':
    case 'finish':
      return `${step.kind} ${name(step.run.id)}`;
    case 'run_tools':
      return `run_tools ${name(step.run.id)}: ${step.calls.map(({ call }) => call).join()}`;
    case 'take_in':
      return `take_in ${name(step.run.id)}: ${step.messages.map(({ id }) => id).join()}`;
    case 'fail':
      return `fail ${name(step.run.id)}: ${step.code}: ${step.error}`;
    case 'cancel':
      return `cancel ${name(step.run.id)}: ${step.reason}`;
    case 'drop':
      return `drop ${step.runs.map(({ id }) => name(id)).join()}`;
    case 'edit_state':
      return `edit_state ${step.edits.map(({ id }) => id).join()}`;
    case 'title':
      return 'title';
    case 'summarize':
      return `summarize ${step.work.stretch ? `up to ${step.work.stretch.toSeq}` : 'no message'}`;
    case 'end_session':
      return `end_session ${step.input}`;
    case 'rest':
      return `rest until ${step.until}`;
  }
}

// ——— what a model is shown

/** The history that a later run would be shown, and that of the last run, and what a small window leaves of it. */
function promptLines(log: readonly StoredEvent[]): string[] {
  const { history, omitted } = foldAll(EMPTY, log);
  const show = (runId: string, budget: number | null) =>
    shownHistory(history, { runId, summaryLines: 5, omitted, budget });
  const later = show('a later run', null);
  const messages = later.messages.map(plain);
  const last = log.findLast(({ runId }) => runId !== null)?.runId ?? '';
  const own = show(last, null);
  const half = show('a later run', Math.floor(later.tokens / 2));
  return [
    '# for a later run',
    ...messages,
    '# otherwise for the last run',
    ...own.messages.map(plain).filter((message, index) => message !== messages[index]),
    `# tokens ${later.tokens}, for the last run ${own.tokens}`,
    `# in half the window: ${half.messages.length} messages, ${half.tokens} tokens, ${half.turnsLeftOut} turns left out`,
  ];
}

/** In the order of their first events. */
function runIdsIn(log: readonly StoredEvent[]): string[] {
  return [...new Set(log.flatMap(({ runId }) => (runId === null ? [] : [runId])))];
}

// ——— dialects

// Each dialect has a state of its own.
// oxlint-disable-next-line typescript/no-explicit-any
type AnySpoken = DialectBinding<any>;
// oxlint-disable-next-line typescript/no-explicit-any
type AnyRunDialect = RunDialect<any>;

const QUESTION = { id: 'u1', role: 'user', content: 'hello' };
const AG_UI = agUi({ threadId: 'thread', runId: 'run', messages: [QUESTION] });
const AG_UI_GET = agUi({ threadId: 'thread', runId: 'run', messages: null });

const OF_THREADS: Readonly<Record<string, AnySpoken>> = {
  thread: { dialect: thread, json: threadEventJson },
  workspace: { dialect: workspace },
};
const OF_RUNS: Readonly<Record<string, AnySpoken>> = {
  runs: { dialect: runs },
  agent: { dialect: agent },
  'ai-sdk': { dialect: aiSdk, closing: 'data: [DONE]\n\n' },
  'ag-ui': { dialect: AG_UI, alone: true },
};
const IN_RESPONSES: Readonly<Record<string, AnyRunDialect>> = { 'ai-sdk': aiSdk, 'ag-ui': AG_UI };
/** These say a log in its own words: a digest is enough to see that they still do. */
const VERBATIM: ReadonlySet<string> = new Set(['thread', 'runs']);

/** The bytes that clients get, dialect by dialect; the lines that begin with `#` stand between them. */
function frameLines(log: readonly StoredEvent[]): string[] {
  return [
    ...Object.entries(OF_THREADS).flatMap(([name, binding]) => streamLines(name, binding, log, null)),
    ...runIdsIn(log).flatMap((runId) => [
      ...Object.entries(OF_RUNS).flatMap(([name, binding]) => streamLines(name, binding, log, runId)),
      ...unknownConversationLines(log, runId),
      ...Object.entries(IN_RESPONSES).flatMap(([name, dialect]) =>
        responseLines(
          name,
          dialect,
          log.filter((event) => event.runId === runId),
        ),
      ),
    ]),
  ];
}

/** AG-UI as a client gets it that did not send its conversation: the frames that are not the same for it. */
function unknownConversationLines(log: readonly StoredEvent[], runId: string): string[] {
  const sent = new Set(streamBytes(OF_RUNS['ag-ui']!, log, runId).split('\n\n'));
  const bytes = streamBytes({ dialect: AG_UI_GET, alone: true }, log, runId);
  return [
    `# ag-ui, run ${runId}, of a conversation that is not known`,
    `# ${digest(bytes)}`,
    ...bytes
      .split('\n\n')
      .filter((frame) => !sent.has(frame))
      .flatMap((frame) => frame.split('\n')),
  ];
}

function streamBytes(
  binding: AnySpoken,
  log: readonly StoredEvent[],
  runId: string | null,
  pressed = false,
): string {
  const scope = { threadId: log[0]!.threadId, run: runId === null ? null : { id: runId, startAfter: 0 } };
  const writer = new DialectWriter(binding, scope, positionAtStart(binding.dialect, scope));
  return writer.say(new Batch([...log]), pressed).bytes?.toString() ?? '';
}

function streamLines(
  name: string,
  binding: AnySpoken,
  log: readonly StoredEvent[],
  runId: string | null,
): string[] {
  const bytes = streamBytes(binding, log, runId);
  const pressed = streamBytes(binding, log, runId, true);
  return [
    `# ${name}, ${runId === null ? 'thread' : `run ${runId}`}`,
    ...(VERBATIM.has(name) ? [`# ${digest(bytes)}`] : bytes.split('\n')),
    ...(pressed === bytes ? [] : [`# under pressure: ${digest(pressed)}`]),
  ];
}

function digest(bytes: string): string {
  const frames = bytes.split('\n\n').length - 1;
  return `${frames} frames, ${Buffer.byteLength(bytes)} bytes, sha256 ${sha256(bytes)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Where a response ends because people are asked: what it says last, and what the next one begins with. */
function responseLines(name: string, dialect: AnyRunDialect, events: readonly LogEvent[]): string[] {
  let state: unknown = dialect.initial;
  return events.flatMap((event) => {
    [state] = dialect.step(state, event);
    const closing = dialect.closing(state);
    if (!closing) return [];
    return [
      `# ${name}, a response that ends after event ${event.runSeq}, and the one after it`,
      ...unnumbered(closing).split('\n'),
      ...unnumbered(dialect.opening(state)).split('\n'),
    ];
  });
}

// ——— the chat as people see it

/**
 * What changes in the view with each event, without what only the fold needs and without version numbers; and what there is if
 * the view begins later and the older page is added.
 */
function viewLines(log: readonly StoredEvent[]): string[] {
  const view = newView();
  const views = log.map((event) => {
    foldView([viewEvent(event)], view);
    // The view is changed in place: this is as it was then.
    return { event, value: structuredClone(viewMeaning(view)) };
  });
  const waiting = waitingCalls(view).map(({ call, approval }) => `${call.call} ${approval.id}`);
  const turns = view.turns.map((turn) =>
    neverBegan(turn) ? 'never began' : isOpen(turn) ? 'open' : 'ended',
  );
  return [
    ...changeLines(viewMeaning(newView()), views),
    `# turns: ${turns.join(', ')}`,
    `# waiting calls: ${waiting.join(', ') || 'none'}`,
    ...pageLines(log.map(viewEvent), plain(viewMeaning(view))),
  ];
}

function viewEvent(event: StoredEvent): ViewEvent {
  const { seq, runId: run_id, runSeq: run_seq, at } = event;
  return { ...event, seq, run_id, run_seq, at: at.toISOString() };
}

/** The view of the last quarter, half and three quarters of a log; each made whole by the page before it. */
function pageLines(events: readonly ViewEvent[], whole: string): string[] {
  return [0.75, 0.5, 0.25].flatMap((share) => {
    const first = Math.floor(events.length * share);
    const view = foldView(events.slice(first));
    const last = plain(viewMeaning(view));
    prependEvents(view, events.slice(0, first));
    const completed = plain(viewMeaning(view));
    return [
      `# from event ${events[first]!.seq} on: sha256 ${sha256(last)}`,
      `# with the page before it: ${completed === whole ? 'the same as the whole' : completed}`,
    ];
  });
}

function viewMeaning({ fold: _fold, version: _version, turns, ...rest }: ReturnType<typeof newView>) {
  return {
    ...rest,
    turns: turns.map(({ version: _turn, answers: _answers, calls: _calls, items, ...turn }) => ({
      ...turn,
      items: items.map(({ version: _item, ...item }) => withoutNoOperations(item)),
    })),
  };
}

/** Most calls do nothing to entities, and the older logs do not say so. */
function withoutNoOperations(item: object): object {
  const { operations, ...rest } = item as { readonly operations?: readonly unknown[] };
  return operations?.length === 0 ? rest : item;
}
