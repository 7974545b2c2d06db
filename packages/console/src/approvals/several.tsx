// Decides several calls at once: those that a person has selected.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';

interface SeveralProps {
  readonly selected: readonly string[];
  /** How many calls can be selected. */
  readonly count: number;
  readonly selectAll: (all: boolean) => void;
}

export function Several({ selected, count, selectAll }: SeveralProps) {
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<string | null>(null);
  const decide = async (decision: 'approve' | 'deny') => {
    setBusy(true);
    setOutcome(null);
    let decided = 0;
    const problems: string[] = [];
    for (const id of selected) {
      try {
        await client.approvals.decide(id, { decision });
        decided += 1;
      } catch (error) {
        // Someone else was faster: the card shows their decision.
        if (!(error instanceof ApiError && error.status === 409)) problems.push((error as Error).message);
      }
    }
    await cache.invalidateQueries({ queryKey: keys.approvals });
    setBusy(false);
    selectAll(false);
    setOutcome(
      [`${decision === 'approve' ? 'Approved' : 'Denied'}: ${decided}.`, ...new Set(problems)].join(' '),
    );
  };
  return (
    <div className="sticky bottom-3 mt-6 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border bg-panel px-3 py-2 text-sm shadow-lg sm:px-4">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={count > 0 && selected.length === count}
          disabled={busy || count === 0}
          onChange={(event) => selectAll(event.target.checked)}
        />
        <span>
          Select all {count}
          <span className="max-sm:sr-only"> calls</span>
        </span>
      </label>
      <span className="ml-auto flex gap-2">
        <Button
          kind="primary"
          disabled={busy || selected.length === 0}
          onClick={() => void decide('approve')}
        >
          Approve {selected.length}
        </Button>
        <Button kind="danger" disabled={busy || selected.length === 0} onClick={() => void decide('deny')}>
          Deny {selected.length}
        </Button>
      </span>
      <span role="status" className={outcome === null ? 'sr-only' : 'w-full text-soft'}>
        {outcome}
      </span>
    </div>
  );
}
