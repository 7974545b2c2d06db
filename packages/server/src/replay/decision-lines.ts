// What `decide` answers after each event, for everything that people may ask of a thread at that moment.

import type { StoredEvent } from '../log/event.ts';
import {
  decide,
  type DecisionRules,
  type Facts,
  type Limits,
  type QueuedRun,
  type Step,
} from '../runs/loop/decide.ts';
import { EMPTY, fold, type ThreadState } from '../threads/fold.ts';
import { plain } from './change-lines.ts';
import { afterEveryEvent, runIdsIn } from './places.ts';

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
export function decisionLines(log: readonly StoredEvent[], compared = afterEveryEvent): string[] {
  let state = EMPTY;
  let last = '';
  const runIds = runIdsIn(log);
  const nameOf = (runId: string) => `r${runIds.indexOf(runId) + 1}`;
  return log.flatMap((event, index) => {
    state = fold(state, event);
    if (!compared(index)) return [];
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
    isChild: false,
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
