// A tool call: its title and state, and on demand its input and output.

import type { CallItem, Turn } from '@continuo/protocol';
import { Ban, Check, ChevronRight, CircleHelp, Clock, LoaderCircle, Wrench, X } from 'lucide-react';
import { useState } from 'react';
import { ApprovalCard } from '../approvals/card.tsx';
import { DiffText, isDiff } from '../ui/diff-text.tsx';
import { between } from '../ui/format.tsx';
import { Value } from '../ui/value.tsx';
import { Visible } from '../ui/visible.tsx';
import { EntityLink, operationWords } from './operation.tsx';
import { ExecCall, isCommand } from './exec/exec-call.tsx';
import { changesFile, FileChange } from './file-change.tsx';
import { FileLink, VersionLink } from './file-link.tsx';

interface ToolCallProps {
  readonly item: CallItem;
  readonly turn: Turn;
}

export function ToolCall({ item, turn }: ToolCallProps) {
  return isCommand(item) ? (
    <ExecCall item={item} turn={turn} state={<State item={item} />} />
  ) : (
    <AnyCall item={item} turn={turn} />
  );
}

function AnyCall({ item, turn }: ToolCallProps) {
  const asked = item.approvals.at(-1);
  const [unfolded, setUnfolded] = useState(false);
  const open = turn.state === 'running' || turn.state === 'waiting' || turn.state === 'paused';
  return (
    <div className="group/card relative overflow-hidden rounded-xl border bg-raised">
      <details className="group/call" onToggle={(event) => setUnfolded(event.currentTarget.open)}>
        <summary className="flex list-none items-center gap-2.5 px-3 py-2 text-sm hover:bg-hover">
          <State item={item} />
          <span className="min-w-0 flex-1 truncate wrap-anywhere group-open/call:whitespace-normal">
            <Title item={item} />
          </span>
          <span className="shrink-0 text-xs text-soft tabular-nums max-sm:hidden">
            {between(item.startedAt, item.endedAt)}
          </span>
          {/* The link of the version lies here, outside of the summary: one control cannot contain another. */}
          {namesItsFile(item) && <span className="w-16 shrink-0" />}
          <ChevronRight
            className="size-4 shrink-0 text-soft transition-transform group-open/call:rotate-90"
            aria-hidden="true"
          />
        </summary>
        <div className="space-y-3 border-t px-3 py-3 text-sm">
          {changesFile(item) ? (
            unfolded && <FileChange item={item} />
          ) : (
            <Labelled name={`Input of ${item.tool}`}>
              <Value value={item.input} />
            </Labelled>
          )}
          {item.state === 'ended' && !(changesFile(item) && item.success) && (
            <Labelled name={item.success ? 'Output' : 'Error'}>
              <Value value={outputOf(item.output)} />
            </Labelled>
          )}
          {item.approvals.map((approval) =>
            approval.decision === null ? null : (
              <p key={approval.id} className="text-xs text-soft">
                {DECIDED[approval.decision]}
                {approval.comment && <>: “{approval.comment}”</>}
              </p>
            ),
          )}
        </div>
      </details>
      {namesItsFile(item) && <VersionLink file={item.files[0]!} className="absolute top-2 right-9.5" />}
      {item.state === 'ended' && !item.success && (
        <p className="line-clamp-2 border-t px-3 py-1.5 text-xs text-soft wrap-anywhere group-has-open/card:hidden">
          <Visible text={reasonOf(item.output)} />
        </p>
      )}
      <Entities item={item} />
      {item.files.length > 0 && !namesItsFile(item) && (
        <ul className="flex flex-wrap gap-1.5 border-t px-3 py-2">
          {item.files.map((file) => (
            <li key={`${file.file}:${file.v}`} className="max-w-full">
              <FileLink path={file.path} version={file.v} removed={file.removed === true} />
            </li>
          ))}
        </ul>
      )}
      {item.tool === 'diff' && item.success === true && isDiff(textOf(item.output)) && (
        <div className="border-t p-3">
          <DiffText text={textOf(item.output)} />
        </div>
      )}
      {open && item.state === 'waiting' && asked?.decision === null && (
        <div className="border-t">
          <ApprovalCard approval={{ ...asked, tool: item.tool, expires_at: asked.expiresAt }} />
        </div>
      )}
    </div>
  );
}

/** What the call does to entities, in words; otherwise its title. */
function Title({ item }: { readonly item: CallItem }) {
  const operation = item.operations.at(-1);
  if (operation) return <Visible text={operationWords(operation)} />;
  return item.title === null ? <Named item={item} /> : <Visible text={item.title} />;
}

/** The title has the path of the only file that the call changed: the link shows only the version. */
function namesItsFile({ title, files, operations }: CallItem): boolean {
  return operations.length === 0 && files.length === 1 && title?.split(files[0]!.path).length === 2;
}

/** Links to the entities that the call found or changed, and that are still there. */
function Entities({ item: { operations } }: { readonly item: CallItem }) {
  const found = operations.filter(
    ({ entity_id, action, status }) => entity_id !== undefined && action !== 'delete' && status === 'success',
  );
  if (found.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5 border-t px-3 py-2">
      {found.map((operation, index) => (
        <li key={index} className="max-w-full">
          <EntityLink operation={operation} />
        </li>
      ))}
    </ul>
  );
}

/** A call that has not started has no title yet. */
function Named({ item: { tool, approvals } }: { readonly item: CallItem }) {
  const paths = approvals.at(-1)?.paths ?? [];
  return (
    <code className="font-mono text-[0.9em]">
      <Visible text={[tool, ...paths].join(' ')} />
    </code>
  );
}

const DECIDED = {
  approve: 'Approved',
  deny: 'Denied',
  edit: 'Approved with changes',
  retry: 'Retried',
  skip: 'Skipped',
  answer: 'Answered',
  expired: 'Expired without an answer',
  canceled: 'The run ended before an answer',
};

function State({ item }: { readonly item: CallItem }) {
  const { icon: Icon, style, word } = stateOf(item);
  return (
    <>
      <Icon className={`size-4 shrink-0 ${style}`} aria-hidden="true" />
      <span className="sr-only">{word}: </span>
    </>
  );
}

function stateOf({ state, success, outcome }: CallItem) {
  if (state === 'planned') return { icon: Wrench, style: 'text-soft', word: 'Planned' };
  if (state === 'waiting') return { icon: Clock, style: 'text-warn', word: 'Waiting for approval' };
  if (state === 'running') return { icon: LoaderCircle, style: 'text-accent animate-spin', word: 'Running' };
  if (outcome === 'unknown') return { icon: CircleHelp, style: 'text-warn', word: 'Outcome unknown' };
  if (outcome !== null)
    return { icon: Ban, style: 'text-soft', word: outcome === 'denied' ? 'Denied' : 'Not run' };
  return success
    ? { icon: Check, style: 'text-good', word: 'Done' }
    : { icon: X, style: 'text-bad', word: 'Failed' };
}

function Labelled({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <p className="mb-1 text-xs font-medium text-soft">{name}</p>
      {children}
    </div>
  );
}

/** The tool's text, if the output has one; the other fields are for programs. */
function outputOf(output: unknown): unknown {
  return textOf(output) || output;
}

/** Why the call failed. */
function reasonOf(output: unknown): string {
  const error = (output as { error?: unknown } | null | undefined)?.error;
  return typeof error === 'string'
    ? error
    : textOf(output) || JSON.stringify(output ?? 'The tool gave no reason.');
}

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  const text = (output as { text?: unknown } | null | undefined)?.text;
  return typeof text === 'string' ? text : '';
}
