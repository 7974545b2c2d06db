// What happened in a chat while the person was away: what was done, what changed, what it cost, and what is needed now.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Sunrise, X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { ChatDigest } from '@continuo/protocol';
import { client } from '../data/client.ts';
import type { Chat } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { duration, money } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { FileLink } from './file-link.tsx';
import { useReturn } from './seen.ts';
import { counted, VERDICTS } from './words-of-runs.ts';

/** Files that are shown before the rest is asked for. */
const FEW_FILES = 4;

interface DigestProps {
  readonly chat: Chat;
  /** The last event of the page. */
  readonly seq: number;
}

export function Digest({ chat, seq }: DigestProps) {
  const { from, dismiss } = useReturn(chat.id, seq);
  const { data: digest } = useQuery({
    // What is needed changes with these.
    queryKey: ['digest', chat.id, from?.seq, chat.waiting_approvals, chat.active_run],
    queryFn: ({ signal }) =>
      client.chats.digest(chat.id, { after: from!.seq }, { signal }) as Promise<ChatDigest>,
    enabled: from !== null,
    placeholderData: keepPreviousData,
  });
  if (from === null || !digest || !hasHappened(digest)) return null;
  return (
    <section
      aria-label="While you were away"
      className="max-h-[45vh] shrink-0 overflow-y-auto border-b bg-panel"
    >
      <div className="mx-auto max-w-3xl px-4 py-3 sm:px-6">
        <div className="flex items-center gap-2">
          <Sunrise className="size-4 shrink-0 text-accent" aria-hidden="true" />
          <h2 className="min-w-0 flex-1 text-sm font-semibold">
            While you were away{' '}
            <span className="font-normal text-soft">({duration(Date.parse(digest.at) - from.at)})</span>
          </h2>
          <IconButton label="Dismiss" className="-my-1 -mr-2" onClick={dismiss}>
            <X />
          </IconButton>
        </div>
        <dl className="mt-1 grid gap-y-1.5 text-sm sm:grid-cols-[5.5rem_minmax(0,1fr)] sm:gap-x-3">
          <Happened digest={digest} />
          <Changed digest={digest} />
          <Cost digest={digest} />
          <Needed needs={digest.needs} chat={chat.id} />
        </dl>
      </div>
    </section>
  );
}

/** Whether there is anything to show: an open run without new events does not count. */
function hasHappened({ since, usage, calls, steps, verdict, changed_counts, runs }: ChatDigest): boolean {
  return (
    usage.model_calls + calls.total + steps.length + changed_counts.files + changed_counts.entities > 0 ||
    verdict !== null ||
    runs.some(({ ended_at }) => ended_at !== null && (since === null || ended_at > since))
  );
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-xs font-medium text-soft sm:pt-0.5">{name}</dt>
      <dd className="min-w-0 wrap-anywhere max-sm:-mt-1.5">{children}</dd>
    </>
  );
}

const RUN_WORDS = [
  ['done', 'done'],
  ['error', 'failed'],
  ['canceled', 'canceled'],
  ['running', 'running'],
  ['queued', 'waiting'],
] as const;

function Happened({ digest: { run_counts, steps, verdict, calls } }: { readonly digest: ChatDigest }) {
  const total = Object.values(run_counts).reduce((sum, count) => sum + count, 0);
  const states = RUN_WORDS.flatMap(([status, word]) =>
    run_counts[status] ? [`${run_counts[status]} ${word}`] : [],
  );
  const counts = new Map<string, number>();
  for (const { status } of steps) counts.set(status, (counts.get(status) ?? 0) + 1);
  const plans = [...new Set(steps.map(({ plan_id }) => plan_id))];
  return (
    <Row name="Happened">
      {[
        total > 0 && `${counted(total, 'run')}: ${states.join(', ')}`,
        calls.total > 0 &&
          counted(calls.total, 'tool call') + (calls.failed > 0 ? `, ${calls.failed} failed` : ''),
      ]
        .filter(Boolean)
        .join(' · ')}
      {steps.length > 0 && (
        <p>
          {plans.length === 1 ? (
            <Link to="/plans/$plan" params={{ plan: plans[0]! }} className="underline">
              The plan
            </Link>
          ) : (
            <Link to="/plans" className="underline">
              {counted(plans.length, 'plan')}
            </Link>
          )}
          : {[...counts].map(([status, count]) => `${counted(count, 'step')} ${status}`).join(', ')}
        </p>
      )}
      {verdict && (
        <p>
          Round {verdict.round}: {VERDICTS[verdict.verdict].toLowerCase()}
          {verdict.reasons[0] !== undefined && (
            <>
              {' – '}
              <Visible text={verdict.reasons[0]} />
            </>
          )}
        </p>
      )}
    </Row>
  );
}

function Changed({ digest: { files, entities, changed_counts } }: { readonly digest: ChatDigest }) {
  const [isAll, setAll] = useState(false);
  if (changed_counts.files + changed_counts.entities === 0) return null;
  const shown = isAll ? files : files.slice(0, FEW_FILES);
  const names = entities.map(({ entity_name, entity_type }) => entity_name ?? entity_type);
  return (
    <Row name="Changed">
      <span className="flex flex-wrap items-center gap-1.5">
        {shown.map(({ file, path, v, change }) => (
          <FileLink key={file} path={path} version={v} removed={change === 'removed'} />
        ))}
        {files.length > shown.length && (
          <Button kind="quiet" className="!px-2 !py-0.5 !text-xs" onClick={() => setAll(true)}>
            {files.length - shown.length} more
          </Button>
        )}
        {isAll && changed_counts.files > files.length && (
          <span className="text-xs text-soft">
            and {counted(changed_counts.files - files.length, 'more file')}
          </span>
        )}
      </span>
      {names.length > 0 && (
        <p>
          <Visible text={names.slice(0, FEW_FILES).join(', ')} />
          {changed_counts.entities > FEW_FILES && ` and ${changed_counts.entities - FEW_FILES} more`}
        </p>
      )}
    </Row>
  );
}

function Cost({ digest: { usage } }: { readonly digest: ChatDigest }) {
  if (usage.model_calls === 0) return null;
  const tokens = counted(usage.input + usage.output, 'token');
  return (
    <Row name="Cost">
      {[usage.cost !== null && money(usage.cost), tokens, counted(usage.model_calls, 'model call')]
        .filter(Boolean)
        .join(' · ')}
    </Row>
  );
}

interface NeededProps {
  readonly needs: ChatDigest['needs'];
  readonly chat: string;
}

function Needed({ needs, chat }: NeededProps) {
  if (needs.length === 0) return null;
  return (
    <Row name="Needed">
      <ul className="space-y-0.5">
        {needs.map((need, index) => (
          <li key={index} className="font-medium text-warn">
            <Need need={need} chat={chat} />
          </li>
        ))}
      </ul>
    </Row>
  );
}

/** What is needed leads to where it is done. */
function Need({ need, chat }: { readonly need: ChatDigest['needs'][number]; readonly chat: string }) {
  const { kind, chat_id, run_id, plan_id } = need;
  const words = <Visible text={wordsOf(need)} />;
  if (kind === 'plan_approval' && plan_id !== null)
    return (
      <Link to="/plans/$plan" params={{ plan: plan_id }} className="underline">
        {words}
      </Link>
    );
  if (kind === 'failed_run' && run_id !== null)
    return (
      <Link to="/runs/$run" params={{ run: run_id }} className="underline">
        {words}
      </Link>
    );
  if (chat_id === chat) return words;
  return (
    <Link to="/chats/$chat" params={{ chat: chat_id }} className="underline">
      {words}
    </Link>
  );
}

function wordsOf({ kind, text }: ChatDigest['needs'][number]): string {
  const tool = text.split(':')[0];
  switch (kind) {
    case 'approval':
      return `Approve or deny a call of “${tool}”`;
    case 'unknown_outcome':
      return `Retry or skip a call of “${tool}” whose outcome is unknown`;
    case 'question':
      return `Answer: ${text}`;
    case 'failed_run':
      return `The last run failed: ${text}`;
    case 'plan_approval':
    case 'resume':
      return text.charAt(0).toUpperCase() + text.slice(1);
  }
}
