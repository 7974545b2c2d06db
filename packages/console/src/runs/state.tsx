// What a run is doing, in a word and a sign; and in a sentence, where it is not moving.

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

const LOOK: Record<RunState, { readonly word: string; readonly icon: LucideIcon; readonly look: string }> = {
  queued: { word: 'Queued', icon: Clock, look: 'text-soft' },
  running: { word: 'Working', icon: LoaderCircle, look: 'text-accent' },
  waiting: { word: 'Waits for approval', icon: ShieldQuestion, look: 'text-warn' },
  paused: { word: 'Paused', icon: Pause, look: 'text-soft' },
  stopping: { word: 'Stopping…', icon: LoaderCircle, look: 'text-soft' },
  done: { word: 'Done', icon: Check, look: 'text-good' },
  error: { word: 'Failed', icon: CircleX, look: 'text-bad' },
  canceled: { word: 'Canceled', icon: Ban, look: 'text-soft' },
  steered: { word: 'Steered another run', icon: CornerDownRight, look: 'text-soft' },
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
  const { word, icon: Icon, look } = LOOK[state];
  const turns = state === 'running' || state === 'stopping';
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${look} ${className}`}>
      <Icon className={`size-4 shrink-0 ${turns ? 'animate-spin' : ''}`} aria-hidden="true" />
      {word}
    </span>
  );
}

/** Null while the run is at work: a model that answers and a tool that runs are moving. */
export function whyNotMoving(why: Why | undefined): string | null {
  switch (why?.waits_for) {
    case 'run':
    case 'pod':
    case 'approval':
    case 'takeover':
    case 'cancel':
      return why.sentence;
    case 'resume':
      return 'The run is paused; Resume in its chat lets it go on.';
    case 'step':
      return why.sentence.includes('MCP') ? why.sentence : null;
    case 'nothing':
    case 'model':
    case 'tool':
    case undefined:
      return null;
  }
}
