// How full the model's context window was at the last request: a small bar, and its parts when it is opened.

import { Link } from '@tanstack/react-router';
import { Popover } from 'radix-ui';
import { useChatContext, type ChatContext } from '../memory/queries.ts';
import { COLOURS, groupOf, type Group } from '../runs/context-parts.ts';
import { number } from '../ui/format.tsx';

type Last = NonNullable<ChatContext['last']>;

/** `seq`: the last event that told a model's usage. */
export function ContextBar({ chat, seq }: { readonly chat: string; readonly seq: number }) {
  const { data } = useChatContext(chat, seq);
  const last = data?.last;
  if (!last) return null;
  const words = `Context: ${number(last.tokens)} of ${number(last.window)} tokens`;
  return (
    <Popover.Root>
      <Popover.Trigger
        title={words}
        className="flex h-8 items-center gap-1.5 rounded-lg px-1.5 text-xs text-soft tabular-nums hover:bg-hover hover:text-ink"
      >
        <span aria-hidden="true" className="flex h-1.5 w-10 overflow-hidden rounded-full bg-line max-sm:w-6">
          <span
            className={fullness(last)}
            style={{ width: `${Math.min(100, Math.max(4, (last.tokens / last.window) * 100))}%` }}
          />
        </span>
        <span className="sr-only">{words}, </span>
        {percent(last.tokens, last.window)}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="Use of the context window"
          className="z-40 w-72 max-w-[calc(100vw-1rem)] rounded-xl border bg-raised p-4 text-sm shadow-xl outline-none"
        >
          <Parts last={last} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Parts({ last }: { readonly last: Last }) {
  const groups = Map.groupBy(last.parts, groupOf);
  const estimated = last.parts.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <>
      <p className="font-medium tabular-nums">
        {number(last.tokens)} of {number(last.window)} tokens
      </p>
      <p className="mt-0.5 text-xs text-soft wrap-anywhere">
        {last.is_reported
          ? 'As the provider counted the last request and its answer'
          : 'The last request, estimated'}
        {last.is_window_known ? '' : '; the model’s window is not known, so this limit is used'}. {last.model}
      </p>
      <div className="mt-3 flex h-2 gap-px overflow-hidden rounded-full bg-sunken" aria-hidden="true">
        {[...groups].map(([group, parts]) => (
          <span
            key={group}
            className={`min-w-[2px] ${COLOURS[group]}`}
            style={{ width: `${(sum(parts) / Math.max(1, estimated)) * 100}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 space-y-1 text-xs tabular-nums" aria-label="Parts, estimated">
        {[...groups].map(([group, parts]) => (
          <GroupRow key={group} group={group} tokens={sum(parts)} />
        ))}
      </ul>
      {last.run_id !== null && (
        <Link
          to="/runs/$run"
          params={{ run: last.run_id }}
          search={{ view: 'context', ...(last.message !== null && { call: last.message }) }}
          className="mt-3 inline-block text-accent underline underline-offset-2"
        >
          What the model saw
        </Link>
      )}
    </>
  );
}

function GroupRow({ group, tokens }: { readonly group: Group; readonly tokens: number }) {
  return (
    <li className="flex items-center gap-2">
      <span className={`h-2 w-3 rounded-sm ${COLOURS[group]}`} aria-hidden="true" />
      {group}
      <span className="ml-auto text-soft">{number(tokens)}</span>
    </li>
  );
}

function sum(parts: Last['parts']): number {
  return parts.reduce((all, { tokens }) => all + tokens, 0);
}

function percent(tokens: number, window: number): string {
  const share = (tokens / window) * 100;
  return share > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`;
}

/** The history gets three quarters of the window; above, old turns will be left out soon. */
function fullness({ tokens, window }: Last): string {
  return tokens / window > 0.75 ? 'bg-warn' : 'bg-accent';
}
