// One row of a transcript.

import { isOpen, type ChatView, type Turn } from '@continuo/protocol';
import { Link } from '@tanstack/react-router';
import { CircleSlash, CircleX, ListTree } from 'lucide-react';
import { memo } from 'react';
import { between, money, number } from '../ui/format.tsx';
import { ChangedFilesLink } from '../files/changed-files-link.tsx';
import { Answer } from './answer.tsx';
import { CallGroup } from './call-group.tsx';
import { ChildRun } from './child-run.tsx';
import { PlanSteps } from './plan-steps.tsx';
import { SpentSoFar } from './spent-so-far.tsx';
import { Verdict } from './verdict.tsx';
import { ToolCall } from './tool-call.tsx';
import { PersonMessage } from './person-message.tsx';
import { useIsReplay } from './replay-context.ts';
import { Retry } from './retry.tsx';
import type { Row } from './rows.ts';
import { CanceledMessage } from './canceled-message.tsx';

const FORGOTTEN = {
  rewound: 'Rewound: the model no longer sees this',
  retried: 'Retried below',
};

/** The view is mutated in place: `version` tells when to render again. */
export const RowView = memo(
  function RowView({ row, view }: { readonly row: Row; readonly version: number; readonly view: ChatView }) {
    const forgotten = row.turn.forgotten ?? (row.kind === 'item' && row.item.forgotten ? 'rewound' : null);
    return (
      <div
        className={`pb-4 ${forgotten ? 'border-l-2 border-dashed border-strong pl-3 text-soft' : ''}`}
        title={forgotten ? FORGOTTEN[forgotten] : undefined}
      >
        {row.kind === 'end' ? (
          <TurnEnd turn={row.turn} />
        ) : row.kind === 'canceled-message' ? (
          <CanceledMessage turn={row.turn} view={view} />
        ) : row.kind === 'calls' ? (
          <CallGroup calls={row.calls} turn={row.turn} />
        ) : (
          <ItemView row={row} forgotten={forgotten !== null} />
        )}
      </div>
    );
  },
  (before, after) => before.row.key === after.row.key && before.version === after.version,
);

function ItemView({
  row: { turn, item },
  forgotten,
}: {
  readonly row: Extract<Row, { kind: 'item' }>;
  readonly forgotten: boolean;
}) {
  switch (item.kind) {
    case 'person':
      return <PersonMessage item={item} turn={turn} forgotten={forgotten} />;
    case 'answer':
      return <Answer item={item} turn={turn} />;
    case 'call':
      return <ToolCall item={item} turn={turn} />;
    case 'child':
      return <ChildRun item={item} turn={turn} />;
    case 'plan':
      return <PlanSteps item={item} />;
    case 'verdict':
      return <Verdict item={item} />;
  }
}

const CANCELED: Record<string, string> = {
  user_cancelled: 'Stopped',
  interrupted: 'Stopped by the next message',
  rolled_back: 'Rolled back by the next message',
};

function TurnEnd({ turn }: { readonly turn: Turn }) {
  const isReplay = useIsReplay();
  if (isOpen(turn)) return startsRuns(turn) && !isReplay ? <SpentSoFar turn={turn} /> : null;
  const { input, output, cost } = spentBy(turn);
  const used = [
    between(turn.startedAt, turn.endedAt),
    input + output > 0 && `${number(input)} tokens in, ${number(output)} out`,
    cost !== null && money(cost),
    turn.takeovers > 0 && `${turn.takeovers + 1} attempts`,
  ].filter(Boolean);
  return (
    <div className="-mt-1 text-xs text-soft">
      {turn.error && (
        <div
          role="alert"
          className="mb-2 flex flex-wrap items-start gap-2 rounded-lg bg-bad-wash px-3 py-2 text-sm text-bad"
        >
          <CircleX className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          <span className="min-w-0 flex-1 break-words">
            {turn.error.error} <code className="font-mono text-xs">({turn.error.code})</code>
          </span>
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {turn.canceled !== null && (
          <span className="flex items-center gap-1 font-medium">
            <CircleSlash className="size-3.5" aria-hidden="true" />
            {CANCELED[turn.canceled] ?? `Stopped: ${turn.canceled}`}
          </span>
        )}
        {used.length > 0 && <span>{used.join(' · ')}</span>}
        {!isReplay && (
          <Link
            to="/runs/$run"
            params={{ run: turn.run }}
            className="inline-flex items-center gap-1 underline-offset-2 hover:text-ink hover:underline"
          >
            <ListTree className="size-3.5" aria-hidden="true" />
            Run
          </Link>
        )}
        <ChangedFilesLink turn={turn} />
        {(turn.state === 'error' || turn.state === 'canceled') && turn.forgotten === null && (
          <Retry run={turn.run} />
        )}
      </div>
    </div>
  );
}

function startsRuns({ items }: Turn): boolean {
  return items.some(({ kind }) => kind === 'child' || kind === 'plan');
}

/** By the run and the runs that it started. */
function spentBy({ usage, cost, items }: Turn): {
  readonly input: number;
  readonly output: number;
  readonly cost: number | null;
} {
  const spent = { input: usage.input, output: usage.output, cost };
  for (const item of items) {
    if (item.kind !== 'child' || !item.usage) continue;
    spent.input += item.usage.input;
    spent.output += item.usage.output;
    if (item.cost !== null) spent.cost = (spent.cost ?? 0) + item.cost;
  }
  return spent;
}
