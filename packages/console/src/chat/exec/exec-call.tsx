// A call of exec: the command, its output while it runs and afterwards, how it ended, and the changes that it proposes.

import type { CallItem, Turn } from '@continuo/protocol';
import { ChevronRight } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { duration } from '../../ui/format.tsx';
import { Visible } from '../../ui/visible.tsx';
import { useIsReplay } from '../replay-context.ts';
import { Proposal } from './proposal.tsx';
import { useOutput } from './queries.ts';
import { Terminal } from './terminal.tsx';

/** What `exec` returns; all of it is missing if the command was not run. */
interface Result {
  readonly exit_code?: number | null;
  readonly ended_by?: keyof typeof KILLED;
  readonly duration_ms?: number;
  readonly changes?: readonly unknown[];
  readonly left_out?: readonly { readonly path: string; readonly reason: string }[];
  readonly text?: string;
  readonly error?: string;
}

const KILLED = {
  time: 'Timed out',
  output: 'Too much output',
  memory: 'Out of memory',
  scratch: 'Disk limit',
  canceled: 'Canceled',
};

/** Whether the call is shown as a command: one that was not made is shown like any other call. */
export function isCommand({ tool, state, outcome, startedAt }: CallItem): boolean {
  return (
    tool === 'exec' && startedAt !== null && outcome === null && (state === 'running' || state === 'ended')
  );
}

/** A person may want to apply what a command proposes. */
export function proposesChanges(item: CallItem): boolean {
  return isCommand(item) && ((item.output as Result | null | undefined)?.changes?.length ?? 0) > 0;
}

interface ExecCallProps {
  readonly item: CallItem;
  readonly turn: Turn;
  /** The icon of the call's state. */
  readonly state: ReactNode;
}

export function ExecCall({ item, turn, state }: ExecCallProps) {
  const id = `${turn.run}:${item.call}`;
  const isReplay = useIsReplay();
  const running = item.state === 'running' && turn.state === 'running';
  const { command, cwd, network } = inputOf(item.input);
  const result = (item.output ?? {}) as Result;
  // A command that runs is shown at once. One that has ended stays as the person left it.
  const [isOpen, setOpen] = useState(running);
  const { data, error } = useOutput(id, { enabled: isOpen && !(isReplay && running), running });
  return (
    <div className="overflow-hidden rounded-xl border bg-raised">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)} className="group/call">
        <summary className="flex list-none items-center gap-2.5 px-3 py-2 text-sm hover:bg-hover">
          {state}
          <code className="min-w-0 flex-1 truncate font-mono text-[0.8125rem]">
            <Visible text={command.split('\n')[0]!} />
          </code>
          {network.length > 0 && (
            <span className="shrink-0 rounded-md bg-warn-wash px-1.5 py-0.5 text-xs text-warn max-sm:hidden">
              Network
            </span>
          )}
          {!running && <Ended result={result} />}
          <span className="shrink-0 text-xs text-soft tabular-nums">
            {running ? (
              <Elapsed since={item.startedAt!} />
            ) : (
              result.duration_ms !== undefined && duration(result.duration_ms)
            )}
          </span>
          <ChevronRight
            className="size-4 shrink-0 text-soft transition-transform group-open/call:rotate-90"
            aria-hidden="true"
          />
        </summary>
        {isOpen && (
          <div className="border-t">
            {(cwd !== null || network.length > 0) && (
              <p className="flex flex-wrap gap-x-3 border-b px-3 py-1 text-xs text-soft">
                {cwd !== null && (
                  <span className="wrap-anywhere">
                    In <code className="font-mono">{cwd}</code>
                  </span>
                )}
                {network.length > 0 && (
                  <span className="wrap-anywhere">
                    May reach <code className="font-mono">{network.join(', ')}</code>
                  </span>
                )}
              </p>
            )}
            <Terminal
              command={command}
              running={running}
              output={data?.output ?? null}
              outputBytes={data?.output_bytes ?? 0}
              empty={emptyText({ running, data, error, result })}
            />
          </div>
        )}
      </details>
      {!running && result.error !== undefined && (
        <p className="border-t px-3 py-1.5 text-xs text-soft wrap-anywhere">
          <Visible text={result.error} />
        </p>
      )}
      {((result.changes?.length ?? 0) > 0 || (result.left_out?.length ?? 0) > 0) && (
        <Proposal id={id} count={result.changes?.length ?? 0} leftOut={result.left_out ?? []} />
      )}
    </div>
  );
}

function Ended({ result: { exit_code: code, ended_by: by } }: { readonly result: Result }) {
  if (by === undefined && typeof code !== 'number') return null;
  const isGood = code === 0;
  return (
    <span
      className={`shrink-0 rounded-md px-1.5 py-0.5 text-xs tabular-nums ${isGood ? 'bg-good-wash text-good' : 'bg-bad-wash text-bad'}`}
    >
      {by === undefined ? `Exit code ${code}` : KILLED[by]}
    </span>
  );
}

/** The time since the command started, as it grows. */
function Elapsed({ since }: { readonly since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(clock);
  }, []);
  return duration(Math.max(0, Math.round((now - Date.parse(since)) / 1000) * 1000));
}

interface Known {
  readonly running: boolean;
  readonly data: unknown;
  readonly error: Error | null;
  readonly result: Result;
}

function emptyText({ running, data, error, result }: Known): string {
  if (error) return `The output cannot be read: ${error.message}`;
  if (data === null)
    return running ? 'Waiting for its turn…' : (result.text ?? 'The output is not kept any more.');
  if (data === undefined) return running ? '' : 'Loading…';
  return running ? '' : 'No output';
}

function inputOf(input: unknown): {
  readonly command: string;
  readonly cwd: string | null;
  readonly network: readonly string[];
} {
  const { command, cwd, network } = (input ?? {}) as { command?: unknown; cwd?: unknown; network?: unknown };
  return {
    command: typeof command === 'string' ? command : '',
    cwd: typeof cwd === 'string' && cwd !== '/' ? cwd : null,
    network: Array.isArray(network) ? network.map(String) : [],
  };
}
