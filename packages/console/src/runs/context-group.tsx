// The parts of a model's context, in groups that can be opened.

import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { money, number } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { COLOURS, groupOf, nameOf, sourceOf, type ContextPart, type GroupSum } from './context-parts.ts';

export function GroupList({ groups }: { readonly groups: readonly GroupSum[] }) {
  const largest = Math.max(1, ...groups.flatMap(({ parts }) => parts.map(({ tokens }) => tokens)));
  return (
    <div className="space-y-3">
      {groups.map((sum) => (
        // A model has dozens of tools; the other groups are short.
        <details key={sum.group} open={sum.group !== 'Tools'} className="group/parts text-sm">
          <summary className="flex list-none items-center gap-2 rounded-md py-1 hover:text-ink">
            <ChevronRight
              className="size-4 shrink-0 text-soft transition-transform group-open/parts:rotate-90"
              aria-hidden="true"
            />
            <h2 className="font-semibold">{sum.group}</h2>
            <span className="text-xs text-soft tabular-nums">
              {`${number(sum.parts.length)} ${sum.parts.length === 1 ? 'part' : 'parts'} · ${amounts(sum)}`}
            </span>
          </summary>
          <ul className="mt-1 divide-y overflow-hidden rounded-xl border bg-raised">
            {sum.parts.map((part, index) => (
              <li key={index}>
                <PartRow part={part} largest={largest} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

function amounts({ tokens, cost }: Pick<GroupSum, 'tokens' | 'cost'>): string {
  return `${number(tokens)} tokens${cost === null || cost === 0 ? '' : ` · ${money(cost)}`}`;
}

interface PartRowProps {
  readonly part: ContextPart;
  /** The tokens of the largest part. */
  readonly largest: number;
  readonly mark?: ReactNode;
  /** Shown above the text. */
  readonly before?: ReactNode;
}

export function PartRow({ part, largest, mark, before }: PartRowProps) {
  return (
    <details className="group/part">
      <summary className="grid list-none grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-2 px-3 py-2 -outline-offset-2 hover:bg-hover md:grid-cols-[1rem_minmax(0,1fr)_10rem_9rem]">
        <ChevronRight
          className="size-4 text-soft transition-transform group-open/part:rotate-90"
          aria-hidden="true"
        />
        <span className="min-w-0 truncate">
          {mark}
          <Visible text={nameOf(part)} /> <span className="text-xs text-soft">{sourceOf(part)}</span>
        </span>
        <span
          aria-hidden="true"
          className="col-span-3 row-start-2 mt-1 h-2 overflow-hidden rounded-sm bg-sunken md:col-span-1 md:row-start-auto md:mt-0"
        >
          <span
            className={`block h-full min-w-[2px] rounded-sm ${COLOURS[groupOf(part)]}`}
            style={{ width: `${(part.tokens / largest) * 100}%` }}
          />
        </span>
        <span className="text-right text-xs text-soft tabular-nums">{amounts(part)}</span>
      </summary>
      <div className="space-y-2 px-3 pb-3">
        {before}
        <PartText part={part} label={nameOf(part)} />
      </div>
    </details>
  );
}

export function PartText({ part, label }: { readonly part: ContextPart; readonly label: string }) {
  if (part.text === null)
    return <p className="text-warn">What this part was made from has been deleted for good.</p>;
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-auto rounded-lg border bg-sunken p-3 font-mono text-[0.8125rem] leading-relaxed wrap-anywhere whitespace-pre-wrap"
    >
      <Visible text={part.text === '' ? '(empty)' : part.text} />
    </pre>
  );
}
