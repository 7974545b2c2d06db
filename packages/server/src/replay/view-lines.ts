// The chat as screens show it, after each event, as lines of what changed.

import {
  foldView,
  isOpen,
  neverBegan,
  newView,
  prependEvents,
  waitingCalls,
  type ViewEvent,
} from '@continuo/protocol';
import type { StoredEvent } from '../log/event.ts';
import { changeLines, plain } from './change-lines.ts';
import { sha256 } from './frame-lines.ts';
import { afterEveryEvent } from './places.ts';

/**
 * What changes in the view with each event, without what only the fold needs and without version numbers; and what there is if
 * the view begins later and the older page is added.
 */
export function viewLines(log: readonly StoredEvent[], compared = afterEveryEvent): string[] {
  const view = newView();
  const views = log.flatMap((event, index) => {
    foldView([viewEvent(event)], view);
    // The view is changed in place: this is as it was then.
    return compared(index) ? [{ event, value: structuredClone(viewMeaning(view)) }] : [];
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

function viewMeaning({
  fold: _fold,
  version: _version,
  memorySeq: _memorySeq,
  usageSeq: _usageSeq,
  turns,
  ...rest
}: ReturnType<typeof newView>) {
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
