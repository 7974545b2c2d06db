// Folds events into the view that screens show. A live stream, a reload, a second tab and a replay all give the same view,
// whether events are folded at once, in parts, or with older pages prepended. Folding a prefix gives the view at that time.

import { applyToTurn, forget, forgetAfter, newTurn, spend } from './turn.ts';
import { newView, type ChatView, type Turn, type ViewEvent } from './view.ts';

/** Adds an event in place. Idempotent. */
export function applyEvent(view: ChatView, event: ViewEvent): void {
  if (event.seq <= view.seq) return;
  view.version += 1;
  if (view.firstSeq === 0) view.firstSeq = event.seq;
  view.seq = event.seq;
  const turn = event.run_id === null ? null : turnOf(view, event);
  if (turn) applyToTurn(turn, event, view.version);
  applyToChat(view, event, turn);
}

export function foldView(events: Iterable<ViewEvent>, view: ChatView = newView()): ChatView {
  for (const event of events) applyEvent(view, event);
  return view;
}

/** Adds the page of events directly before those in the view. A turn that the page completes is rebuilt; all others stay as they are. */
export function prependEvents(view: ChatView, older: readonly ViewEvent[]): void {
  if (older.length === 0) return;
  const last = older.at(-1)!.seq;
  if (view.firstSeq !== 0 && last !== view.firstSeq - 1)
    throw new Error(`The page ends with event ${last}, but it must end right before event ${view.firstSeq}.`);
  const before = foldView(older, { ...newView(), version: view.version });
  view.version = before.version + 1;
  const completed = completeTurns(before, view);
  for (const turn of before.turns) forgetByLater(turn, view);
  view.turns = [...before.turns, ...view.turns.filter((turn) => !completed.has(turn))];
  mergeFolds(before, view);
  spend(view, before);
  view.title ??= before.title;
  view.session ??= before.session;
  view.context ??= before.context;
  view.memorySeq ||= before.memorySeq;
  view.usageSeq ||= before.usageSeq;
  view.firstSeq = before.firstSeq;
  if (view.seq === 0) view.seq = before.seq;
}

/** The run's turn, created if needed. The events of a turn without a beginning are kept, so that the turn can be rebuilt. */
function turnOf({ turns, fold }: ChatView, event: ViewEvent): Turn {
  const run = event.run_id!;
  // Nearly always the last turn.
  const latest = turns[turns.length - 1];
  let turn = latest?.run === run ? latest : fold.turns.get(run);
  if (turn === undefined) {
    turn = newTurn(event);
    turns.push(turn);
    fold.turns.set(run, turn);
    if (!turn.whole) fold.cut.set(run, []);
  }
  if (!turn.whole) fold.cut.get(run)!.push(event);
  return turn;
}

function applyToChat(view: ChatView, event: ViewEvent, turn: Turn | null): void {
  switch (event.type) {
    case 'session': {
      const { session: id, to_state: state, reason } = event.data;
      view.session = { id, state, reason, since: event.at };
      return;
    }
    case 'titled':
      view.title = event.data.title;
      if (event.data.usage) spend(view, { usage: event.data.usage, cost: event.data.cost ?? null });
      return;
    case 'summary':
    case 'summary_failed':
    case 'agent_state_delta':
      view.memorySeq = event.seq;
      if (event.data.usage) spend(view, { usage: event.data.usage, cost: event.data.cost ?? null });
      return;
    case 'context_usage':
      view.context = event.data;
      return;
    case 'usage':
      view.usageSeq = event.seq;
      return spend(view, event.data);
    case 'message':
      // Running a message again rewinds what followed from it.
      view.memorySeq = event.seq;
      if (turn && !event.data.steer) takeIn(view, event.data.id, turn);
      return;
    case 'rewound': {
      view.memorySeq = event.seq;
      const rewind = { run: event.run_id, to: event.data.to_seq };
      view.fold.rewinds.push(rewind);
      for (const each of view.turns) if (each !== turn) forgetAfter(each, rewind.to, view.version);
      return;
    }
    default:
      return;
  }
}

/** A message that is run again replaces the turn of its earlier run. */
function takeIn(view: ChatView, message: string, turn: Turn): void {
  const earlier = view.fold.said.get(message);
  if (earlier && earlier !== turn) forget(earlier, 'retried', view.version);
  view.fold.said.set(message, turn);
}

/** Completes turns of `view` that begin in `before`; returns the incomplete turns that they replace. */
function completeTurns(before: ChatView, view: ChatView): ReadonlySet<Turn> {
  const replaced = new Set<Turn>();
  for (const [run, events] of view.fold.cut) {
    const begun = before.fold.turns.get(run);
    if (!begun) continue;
    const cut = view.fold.turns.get(run)!;
    for (const event of events) applyToTurn(begun, event, view.version);
    before.fold.cut.get(run)?.push(...events);
    replaced.add(cut);
    view.fold.cut.delete(run);
    for (const [message, turn] of view.fold.said) if (turn === cut) view.fold.said.set(message, begun);
  }
  return replaced;
}

/** Marks an older turn that later events rewound or retried. */
function forgetByLater(turn: Turn, { fold, version }: ChatView): void {
  for (const { run, to } of fold.rewinds) if (run !== turn.run) forgetAfter(turn, to, version);
  for (const item of turn.items) {
    if (item.kind !== 'person' || item.steer) continue;
    const later = fold.said.get(item.id);
    if (later && later !== turn) forget(turn, 'retried', version);
  }
}

function mergeFolds(before: ChatView, { fold }: ChatView): void {
  for (const [run, turn] of before.fold.turns) fold.turns.set(run, turn);
  for (const [message, turn] of before.fold.said) if (!fold.said.has(message)) fold.said.set(message, turn);
  for (const [run, events] of before.fold.cut) fold.cut.set(run, events);
  fold.rewinds.unshift(...before.fold.rewinds);
}
