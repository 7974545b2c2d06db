// A run that this one started, on one line: what it is about, how it ended, what it changed and cost, and its chat.

import { Link } from '@tanstack/react-router';
import { Ban, CircleCheck, CircleX, LoaderCircle, MessageSquare, type LucideIcon } from 'lucide-react';
import type { ChildItem, Turn } from '@continuo/protocol';
import { PlanCard } from '../plans/plan-card.tsx';
import { between, money } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { FileLink } from './file-link.tsx';
import { useIsReplay } from './replay-context.ts';
import { counted } from './words-of-runs.ts';

const STATES: Record<
  ChildItem['state'],
  { readonly word: string; readonly icon: LucideIcon; readonly style: string }
> = {
  running: { word: 'Running', icon: LoaderCircle, style: 'text-accent motion-safe:animate-spin' },
  done: { word: 'Done', icon: CircleCheck, style: 'text-good' },
  error: { word: 'Failed', icon: CircleX, style: 'text-bad' },
  canceled: { word: 'Canceled', icon: Ban, style: 'text-soft' },
};

export function ChildRun({ item, turn }: { readonly item: ChildItem; readonly turn: Turn }) {
  const isReplay = useIsReplay();
  const { word, icon: Icon, style } = STATES[item.state];
  const tokens = item.usage ? item.usage.input + item.usage.output : 0;
  const figures = [
    item.role,
    between(item.at, item.endedAt),
    tokens > 0 && counted(tokens, 'token'),
    item.cost !== null && item.cost > 0 && money(item.cost),
  ].filter(Boolean);
  const plan = item.files.find(({ path }) => path.endsWith('.plan'));
  const isStarted = turn.items.some(({ kind }) => kind === 'plan');
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <Icon className={`size-4 shrink-0 ${style}`} aria-hidden="true" />
        <span className="sr-only">{word}: </span>
        <span className="font-medium wrap-anywhere">
          <Visible text={item.title ?? item.child} />
        </span>
        <span className="text-xs text-soft">{figures.join(' · ')}</span>
        <Link
          to="/chats/$chat"
          params={{ chat: item.thread }}
          aria-label={`Open chat: ${item.title ?? item.child}`}
          className="inline-flex items-center gap-1 text-xs text-soft underline-offset-2 hover:text-ink hover:underline"
        >
          <MessageSquare className="size-3.5" aria-hidden="true" />
          Open chat
        </Link>
      </div>
      {item.error && (
        <p className="mt-1 pl-6 text-sm text-bad wrap-anywhere">
          <Visible text={item.error.error} />
        </p>
      )}
      {item.files.length > 0 && (
        <p className="mt-1.5 flex flex-wrap gap-1.5 pl-6">
          {item.files.slice(0, MOST_FILES).map(({ path, v }) => (
            <FileLink key={path} path={path} version={v} />
          ))}
          {item.files.length > MOST_FILES && (
            <span className="text-xs text-soft">and {item.files.length - MOST_FILES} more</span>
          )}
        </p>
      )}
      {plan && !isStarted && !isReplay && (
        <div className="mt-3">
          <PlanCard id={plan.file} />
        </div>
      )}
    </div>
  );
}

const MOST_FILES = 6;
