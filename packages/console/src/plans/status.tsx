// The statuses of steps and plans, in words and icons.

import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';
import type { PlanState, PlanStepStatus } from '@continuo/protocol';

interface Look {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly className: string;
}

export const STATUS: Readonly<Record<PlanStepStatus, Look>> = {
  pending: { label: 'Pending', icon: Circle, className: 'text-soft' },
  running: { label: 'Running', icon: LoaderCircle, className: 'text-accent [&]:motion-safe:animate-spin' },
  done: { label: 'Done', icon: CircleCheck, className: 'text-good' },
  failed: { label: 'Failed', icon: CircleX, className: 'text-bad' },
  skipped: { label: 'Skipped', icon: CircleSlash, className: 'text-soft' },
  blocked: { label: 'Blocked', icon: Ban, className: 'text-warn' },
};

export function StatusIcon({ status }: { readonly status: PlanStepStatus }) {
  const {
    icon: Icon,
    label,
    className,
  } = STATUS[status] ?? {
    icon: CircleDashed,
    label: status,
    className: 'text-soft',
  };
  return (
    <span className="mt-0.5 shrink-0" title={label}>
      <Icon className={`size-4.5 ${className}`} aria-hidden="true" />
      <span className="sr-only">{label}: </span>
    </span>
  );
}

const STATE: Readonly<Record<PlanState, readonly [label: string, className: string]>> = {
  draft: ['Draft', 'bg-hover text-soft'],
  approved: ['Approved', 'bg-good-wash text-good'],
  running: ['Running', 'bg-accent text-accent-ink'],
  paused: ['Paused', 'bg-warn-wash text-warn'],
  done: ['Done', 'bg-good-wash text-good'],
  failed: ['Failed', 'bg-bad-wash text-bad'],
  stopped: ['Stopped', 'bg-hover text-soft'],
};

export function StateBadge({ state }: { readonly state: PlanState }) {
  const [label, className] = STATE[state];
  return <span className={`rounded-full px-2.5 py-0.5 text-xs font-medium ${className}`}>{label}</span>;
}
