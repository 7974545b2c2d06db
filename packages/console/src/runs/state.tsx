// The state of a run: a word, an icon, and a sentence if the run is blocked.

import {
  Ban,
  Check,
  CircleX,
  Clock,
  CornerDownRight,
  LoaderCircle,
  Pause,
  ShieldQuestion,
  type LucideIcon,
} from 'lucide-react';
import type { Run, Why } from '../data/run-queries.ts';

type RunState = Run['status'] | 'waiting' | 'paused' | 'stopping' | 'steered';

const STYLE: Record<RunState, { readonly word: string; readonly icon: LucideIcon; readonly style: string }> =
  {
    queued: { word: 'Queued', icon: Clock, style: 'text-soft' },
    running: { word: 'Running', icon: LoaderCircle, style: 'text-accent' },
    waiting: { word: 'Waiting for approval', icon: ShieldQuestion, style: 'text-warn' },
    paused: { word: 'Paused', icon: Pause, style: 'text-soft' },
    stopping: { word: 'Stopping…', icon: LoaderCircle, style: 'text-soft' },
    done: { word: 'Done', icon: Check, style: 'text-good' },
    error: { word: 'Failed', icon: CircleX, style: 'text-bad' },
    canceled: { word: 'Canceled', icon: Ban, style: 'text-soft' },
    steered: { word: 'Steered another run', icon: CornerDownRight, style: 'text-soft' },
  };

export function stateOf(
  run: Pick<Run, 'status' | 'ended_at' | 'cancel_requested_at' | 'steered_into'>,
  why?: Why,
): RunState {
  if (run.steered_into !== null) return 'steered';
  if (run.ended_at !== null) return run.status;
  if (run.cancel_requested_at !== null) return 'stopping';
  if (why?.waits_for === 'approval') return 'waiting';
  if (why?.waits_for === 'resume') return 'paused';
  return run.status;
}

export function StateBadge({
  state,
  className = '',
}: {
  readonly state: RunState;
  readonly className?: string;
}) {
  const { word, icon: Icon, style } = STYLE[state];
  const turns = state === 'running' || state === 'stopping';
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${style} ${className}`}>
      <Icon className={`size-4 shrink-0 ${turns ? 'animate-spin' : ''}`} aria-hidden="true" />
      {word}
    </span>
  );
}

/** Null while the run makes progress: while a model answers or a tool runs. */
export function whyNotMoving(why: Why | undefined): string | null {
  switch (why?.waits_for) {
    case 'run':
    case 'pod':
    case 'approval':
    case 'children':
    case 'takeover':
    case 'cancel':
      return why.sentence;
    case 'resume':
      return 'The run is paused. Press Resume in its chat to continue.';
    case 'step':
      return why.sentence.includes('MCP') ? why.sentence : null;
    case 'nothing':
    case 'model':
    case 'tool':
    case undefined:
      return null;
  }
}
