// Several tool calls in a row, as one card that unfolds. A call that is running or waits for a person stays visible
// below it, and so does a command that proposes changes.

import type { CallItem, Turn } from '@continuo/protocol';
import { Check, ChevronRight, LoaderCircle, X } from 'lucide-react';
import { useState } from 'react';
import { between } from '../ui/format.tsx';
import { proposesChanges } from './exec/exec-call.tsx';
import { ToolCall } from './tool-call.tsx';

interface CallGroupProps {
  readonly calls: readonly CallItem[];
  readonly turn: Turn;
}

export function CallGroup({ calls, turn }: CallGroupProps) {
  const [open, setOpen] = useState(false);
  const current = calls.filter(
    (item) => item.state === 'running' || item.state === 'waiting' || proposesChanges(item),
  );
  const folded = calls.filter((call) => !current.includes(call));
  return (
    <div className="rounded-xl border bg-panel">
      <details
        open={open}
        onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
        className="group/calls"
      >
        <summary className="flex list-none items-center gap-2.5 rounded-xl px-3 py-2 text-sm hover:bg-hover">
          <Summary calls={calls} turn={turn} />
          <ChevronRight
            className="size-4 shrink-0 text-soft transition-transform group-open/calls:rotate-90"
            aria-hidden="true"
          />
        </summary>
        {open && <Calls calls={folded} turn={turn} />}
      </details>
      {current.length > 0 && <Calls calls={current} turn={turn} />}
    </div>
  );
}

function Calls({ calls, turn }: CallGroupProps) {
  return (
    <ul className="space-y-2 px-2 pb-2">
      {calls.map((item) => (
        <li key={`${item.seq}:${item.call}`}>
          <ToolCall item={item} turn={turn} />
        </li>
      ))}
    </ul>
  );
}

function Summary({ calls, turn }: CallGroupProps) {
  const failed = calls.filter(({ success }) => success === false).length;
  const ended = turn.endedAt !== null || calls.every(({ state }) => state === 'ended');
  const Icon = !ended ? LoaderCircle : failed === calls.length ? X : Check;
  const style = !ended ? 'text-accent animate-spin' : failed === calls.length ? 'text-bad' : 'text-good';
  return (
    <>
      <Icon className={`size-4 shrink-0 ${style}`} aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">
        {calls.length} tool calls
        {failed > 0 && <span className="text-bad"> · {failed} failed</span>}
        <span className="text-soft"> · {toolsOf(calls)}</span>
      </span>
      <span className="shrink-0 text-xs text-soft tabular-nums">
        {ended && between(calls[0]!.startedAt, calls.at(-1)!.endedAt)}
      </span>
    </>
  );
}

/** “read 6, write 2”, the most frequent first. */
function toolsOf(calls: readonly CallItem[]): string {
  const counts = new Map<string, number>();
  for (const { tool } of calls) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([tool, count]) => (count === 1 ? tool : `${tool} ${count}`))
    .join(', ');
}
