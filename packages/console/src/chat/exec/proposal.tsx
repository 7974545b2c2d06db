// The changes that a command proposes: each as a diff, to be applied all at once or one by one.

import { useQueryClient } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useAction } from '../../data/use-action.ts';
import { client } from '../../data/client.ts';
import { Button } from '../../ui/button.tsx';
import { DiffText } from '../../ui/diff-text.tsx';
import { bytes } from '../../ui/format.tsx';
import { Visible } from '../../ui/visible.tsx';
import { FileLink } from '../file-link.tsx';
import { useIsReplay } from '../replay-context.ts';
import { changesKey, useChanges, useDiff, type Change } from './queries.ts';

interface ProposalProps {
  readonly id: string;
  /** What the command changed besides, and why that is not proposed. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  readonly count: number;
}

export function Proposal({ id, leftOut, count }: ProposalProps) {
  const cache = useQueryClient();
  const isReplay = useIsReplay();
  const heading = useId();
  const list = useRef<HTMLUListElement>(null);
  const { data: changes, error } = useChanges(id, count > 0);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const { busy, problem, act } = useAction(() => cache.invalidateQueries({ queryKey: changesKey(id) }));
  const open = (changes ?? []).filter(({ state }) => state === 'open');
  const chosen = open.filter(({ path }) => !skipped.has(path)).map(({ path }) => path);
  const apply = () => {
    // The button disappears when nothing is left to apply.
    list.current?.focus();
    void act(() => client.executions.apply(id, chosen));
  };
  const choose = (path: string, isChosen: boolean) => {
    const next = new Set(skipped);
    if (isChosen) next.delete(path);
    else next.add(path);
    setSkipped(next);
  };
  return (
    <section aria-labelledby={heading} className="border-t text-sm">
      {count > 0 && (
        <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1.5 px-3 py-2">
          <p id={heading} className="mr-auto font-medium">
            {titleOf(changes, count)}
          </p>
          {open.length > 0 && !isReplay && (
            <Button kind="primary" disabled={busy || chosen.length === 0} onClick={apply}>
              {chosen.length === open.length
                ? applyAll(open.length)
                : `Apply ${chosen.length} of ${open.length}`}
            </Button>
          )}
        </div>
      )}
      {(problem ?? error) && (
        <p role="alert" className="px-3 pb-2 text-bad">
          {problem ?? error!.message}
        </p>
      )}
      {changes && (
        <ul ref={list} tabIndex={-1} aria-labelledby={heading} className="divide-y border-t" data-quiet-focus>
          {changes.map((change) => (
            <Row
              key={change.path}
              id={id}
              change={change}
              isChosen={!skipped.has(change.path)}
              choose={open.length > 1 && !isReplay ? (isChosen) => choose(change.path, isChosen) : null}
            />
          ))}
        </ul>
      )}
      {leftOut.length > 0 && <LeftOut items={leftOut} heading={count === 0 ? heading : undefined} />}
    </section>
  );
}

function titleOf(changes: readonly Change[] | undefined, count: number): string {
  const files = count === 1 ? 'one file' : `${count} files`;
  if (changes?.every(({ state }) => state === 'applied'))
    return count === 1 ? 'The change was applied' : `All ${count} changes were applied`;
  return `The command proposes to change ${files}`;
}

const applyAll = (count: number) => (count === 1 ? 'Apply' : `Apply all ${count}`);

interface RowProps {
  readonly id: string;
  readonly change: Change;
  readonly isChosen: boolean;
  /** Null if there is no choice. */
  readonly choose: ((isChosen: boolean) => void) | null;
}

function Row({ id, change, isChosen, choose }: RowProps) {
  const { path, state, version } = change;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div className="flex items-center gap-2 px-3 py-1.5">
        {choose && state === 'open' && (
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-accent"
            aria-label={`Apply ${path}`}
            checked={isChosen}
            onChange={(event) => choose(event.target.checked)}
          />
        )}
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex min-w-0 flex-1 items-center gap-1.5 rounded-md py-0.5 text-left font-mono text-[0.8125rem] hover:underline"
        >
          <ChevronRight
            className={`size-3.5 shrink-0 text-soft transition-transform ${isOpen ? 'rotate-90' : ''}`}
            aria-hidden="true"
          />
          <span className="truncate">
            <Visible text={path} />
          </span>
        </button>
        {state === 'applied' && version !== null ? (
          <span className="max-w-1/2 shrink-0">
            <FileLink path={path} version={version} />
          </span>
        ) : (
          <span className={`shrink-0 text-xs ${state === 'outdated' ? 'text-warn' : 'text-soft'}`}>
            {state === 'outdated' ? 'Changed since; run again' : change.base === 0 ? 'New' : 'Changed'}
          </span>
        )}
      </div>
      {isOpen && (
        <div className="px-3 pb-3">
          <Diff id={id} change={change} />
        </div>
      )}
    </li>
  );
}

function Diff({ id, change }: { readonly id: string; readonly change: Change }) {
  const { data, error } = useDiff(id, change.path);
  if (error) return <p className="text-soft">{error.message}</p>;
  if (!data) return <p className="text-soft">Loading the difference…</p>;
  if (data.binary) return <p className="text-soft">Not text: {bytes(change.size)}</p>;
  return <DiffText text={data.diff} />;
}

function LeftOut({
  items,
  heading,
}: {
  readonly items: ProposalProps['leftOut'];
  readonly heading: string | undefined;
}) {
  return (
    <details className="group/left border-t first:border-t-0">
      <summary
        id={heading}
        className="flex list-none items-center gap-1.5 px-3 py-2 text-xs text-soft hover:bg-hover"
      >
        <ChevronRight
          className="size-3.5 transition-transform group-open/left:rotate-90"
          aria-hidden="true"
        />
        {items.length === 1 ? 'One other change is' : `${items.length} other changes are`} not proposed
      </summary>
      <ul className="space-y-1 px-3 pb-2 text-xs">
        {items.map(({ path, reason }) => (
          <li key={path} className="wrap-anywhere">
            <span className="font-mono">
              <Visible text={path} />
            </span>
            <span className="text-soft">: {reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
