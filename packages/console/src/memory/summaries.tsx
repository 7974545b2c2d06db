// The rolling summary with its versions: what each replaced, and what was lost.

import { useState } from 'react';
import { number, When } from '../ui/format.tsx';
import { Select } from '../ui/select.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { useSummaries, useSummary, type Summary, type SummaryVersion } from './queries.ts';
import { Section } from './section.tsx';

export function Summaries({ chat, seq }: { readonly chat: string; readonly seq: number }) {
  const { data: versions, error, refetch } = useSummaries(chat, seq);
  const [chosen, setChosen] = useState<number | null>(null);
  if (error && !versions)
    return (
      <Section title="Summary">
        <Failure error={error} retry={() => void refetch()} />
      </Section>
    );
  if (!versions) return null;
  const used = versions.find((each) => each.in_use);
  const shown = versions.find(({ version }) => version === chosen) ?? used ?? versions[0];
  return (
    <Section
      title="Summary"
      actions={
        versions.length > 1 &&
        shown && (
          <Select
            label="Version of the summary"
            value={String(shown.version)}
            choose={(version) => setChosen(Number(version))}
            choices={versions.map((each) => [String(each.version), wordsOf(each)])}
            className="[&_select]:!py-1 [&_select]:!text-xs"
          />
        )
      }
    >
      {shown ? (
        <Version key={shown.version} chat={chat} summary={shown} />
      ) : (
        <p className="text-soft">Every message is still shown to the model as it is.</p>
      )}
    </Section>
  );
}

function wordsOf({ version, in_use }: Summary): string {
  return `Version ${version}${in_use ? ', in use' : ''}`;
}

function Version({ chat, summary }: { readonly chat: string; readonly summary: Summary }) {
  const [open, setOpen] = useState(false);
  const { version, text, made_by, made_at, messages, tokens, in_use, note } = summary;
  return (
    <>
      <p className="text-xs text-soft wrap-anywhere">
        Version {version}, {in_use ? 'in use' : 'not in use'}. Stands for {number(messages)} messages:{' '}
        {number(tokens.replaced)} tokens became {number(tokens.summary)}.{' '}
        {made_by === 'extract' ? 'Extracted' : `Made by ${made_by}`}, <When at={made_at} />.
      </p>
      {note !== undefined && <p className="mt-1 text-xs text-warn">No model made it: {note}.</p>}
      <pre
        tabIndex={0}
        aria-label={`Summary, version ${version}`}
        className="mt-2 max-h-64 overflow-auto rounded-lg border bg-raised p-3 font-sans text-[0.8125rem] leading-relaxed whitespace-pre-wrap wrap-anywhere"
      >
        <Visible text={text} />
      </pre>
      <details className="mt-2" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="rounded-md text-soft hover:text-ink">What was lost</summary>
        {open && <Lost chat={chat} version={version} />}
      </details>
    </>
  );
}

function Lost({ chat, version }: { readonly chat: string; readonly version: number }) {
  const { data, error, refetch } = useSummary(chat, version);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading what="the replaced messages" />;
  const { lost, replaced } = data;
  return (
    <div className="mt-2 space-y-2">
      <p className="text-xs text-soft">
        {lost.length === 0
          ? 'Every id, name, path and number of the replaced messages is in the summary.'
          : `${number(lost.length)} ids, names, paths, numbers and quoted words are not in the summary. They are marked below; the agent can look them up.`}
      </p>
      <ol aria-label="Replaced messages" className="space-y-1.5">
        {replaced.messages.map((message) => (
          <li key={message.id} className="rounded-lg border bg-raised px-3 py-2">
            <p className="text-xs text-soft">
              {message.role}
              {message.kept && ', kept as it is'}
            </p>
            <p className="mt-0.5 line-clamp-12 text-[0.8125rem] whitespace-pre-wrap wrap-anywhere">
              <Marked message={message} lost={lost} />
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A replaced message, with what the summary does not have. */
function Marked({
  message,
  lost,
}: {
  readonly message: SummaryVersion['replaced']['messages'][number];
  readonly lost: readonly string[];
}) {
  const terms = message.kept ? [] : lost.filter((term) => message.text.includes(term));
  if (terms.length === 0) return <Visible text={message.text} />;
  const longestFirst = terms
    .toSorted((one, other) => other.length - one.length)
    .map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return message.text.split(new RegExp(`(${longestFirst.join('|')})`)).map((piece, index) =>
    index % 2 === 1 ? (
      <del key={index} className="rounded bg-bad-wash text-bad">
        <Visible text={piece} />
      </del>
    ) : (
      <Visible key={index} text={piece} />
    ),
  );
}
