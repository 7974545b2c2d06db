// Everything about content in one place: what waits for a person, the campaigns, the calendar, and the pieces.

import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { CircleX, LoaderCircle, Newspaper, Sparkles } from 'lucide-react';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { newKey } from '@continuo/client';
import { titleOf as chatTitle } from '../app/chat-entry.tsx';
import { client } from '../data/client.ts';
import { putChat, useApprovals, useChats } from '../data/queries.ts';
import { useAction } from '../data/use-action.ts';
import { usePlans } from '../plans/queries.ts';
import { CARD, FIELD } from '../settings/section.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Failure, Loading } from '../ui/states.tsx';
import { Visible } from '../ui/visible.tsx';
import { Campaign } from './campaign.tsx';
import { NewPiece } from './new-piece.tsx';
import { PublishingQuestion } from './question.tsx';
import { isPublishing, titleOf, useContent, type Piece, type TypeWithPieces } from './queries.ts';
import { PieceState } from './state.tsx';

const STRATEGIST = 'content-strategist';
/** How many campaigns are shown, the newest first. */
const CAMPAIGNS = 5;

export function Dashboard() {
  const { data: content, error, refetch } = useContent();
  const approvals = useApprovals().data?.items ?? [];
  const waiting = approvals.filter(isPublishing);
  const others = approvals.length - waiting.length;
  const plans = usePlans().data?.pages.flatMap(({ items }) => items) ?? [];
  const campaigns = plans.filter(({ path }) => path.startsWith('/content/')).slice(0, CAMPAIGNS);
  return (
    <>
      <NewCampaign />
      <NewPiece />
      {approvals.length > 0 && (
        <Part title="Waiting for you">
          <ul className="space-y-3">
            {waiting.map((approval) => (
              <li key={approval.id} className="overflow-hidden rounded-xl border bg-raised">
                <PublishingQuestion approval={approval} />
              </li>
            ))}
            {others > 0 && (
              <li className="text-sm">
                <Link to="/approvals" className="underline decoration-line underline-offset-4">
                  {others === 1 ? '1 other question waits' : `${others} other questions wait`} among the
                  approvals
                </Link>
              </li>
            )}
          </ul>
        </Part>
      )}
      <AtWork />
      {campaigns.length > 0 && (
        <Part title="Campaigns">
          <ul className="space-y-3">
            {campaigns.map(({ id }) => (
              <Campaign key={id} id={id} />
            ))}
          </ul>
        </Part>
      )}
      {error && !content && <Failure error={error} retry={() => void refetch()} />}
      {!content && !error && <Loading what="content" />}
      {content && <Calendar content={content} />}
      {content && <Pieces content={content} />}
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-8">
      <h2 className="mb-2 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function NewCampaign() {
  const cache = useQueryClient();
  const [topic, setTopic] = useState('');
  const { busy, problem, act } = useAction(async () => {});
  // If the answer is lost, a second click opens no second campaign.
  const key = useRef(newKey());
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (busy || topic.trim() === '') return;
    void act(async () => {
      const { chat } = await client.chats.open(
        { goal: topic.trim(), role: STRATEGIST },
        { idempotencyKey: key.current },
      );
      key.current = newKey();
      putChat(cache, chat);
      setTopic('');
    });
  };
  return (
    <form aria-label="New campaign" onSubmit={start} className="mt-6 rounded-xl border bg-raised p-4 text-sm">
      <label htmlFor="topic" className="font-medium">
        What should your site talk about?
      </label>
      <div className="mt-2 flex flex-wrap gap-2">
        <input
          id="topic"
          value={topic}
          onChange={(event) => {
            setTopic(event.target.value);
            key.current = newKey();
          }}
          placeholder="Tea for beginners"
          className={`${FIELD} flex-1 basis-52`}
        />
        <Button kind="primary" type="submit" disabled={busy || topic.trim() === ''}>
          <Sparkles className="size-4" aria-hidden="true" />
          Start a campaign
        </Button>
      </div>
      <p className="mt-2 text-xs text-soft">
        The content strategist makes a plan. When you have approved it, a team researches, writes and reviews.
        Nothing is published before you agree.
      </p>
      {problem !== null && (
        <p role="alert" className="mt-2 text-bad wrap-anywhere">
          {problem}
        </p>
      )}
    </form>
  );
}

/** Chats in which the strategist is at work or has failed, including those that have no plan yet. */
function AtWork() {
  const chats = useChats().data?.pages.flatMap(({ items }) => items) ?? [];
  const shown = chats.filter(
    ({ role, state }) => role === STRATEGIST && (state === 'running' || state === 'error'),
  );
  if (shown.length === 0) return null;
  return (
    <Part title="At work">
      <ul className={CARD}>
        {shown.map((chat) => (
          <li key={chat.id}>
            <Link
              to="/chats/$chat"
              params={{ chat: chat.id }}
              className="flex items-center gap-2.5 px-4 py-2.5 hover:bg-hover"
            >
              {chat.state === 'error' ? (
                <CircleX className="size-4 shrink-0 text-bad" aria-hidden="true" />
              ) : (
                <LoaderCircle
                  className="size-4 shrink-0 text-accent motion-safe:animate-spin"
                  aria-hidden="true"
                />
              )}
              <span className="min-w-0 flex-1 truncate">
                <Visible text={chatTitle(chat)} />
              </span>
              <span className="text-xs text-soft">
                {chat.state === 'error' ? 'Failed' : chat.reason === 'waiting' ? 'Waits for you' : 'Watch'}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  );
}

const longDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** The pieces that wait for their time, by day. */
function Calendar({ content }: { readonly content: readonly TypeWithPieces[] }) {
  const days = new Map<string, { readonly piece: Piece; readonly at: Date; readonly failed: boolean }[]>();
  const scheduled = content
    .flatMap(({ pieces }) => pieces)
    .flatMap((piece) =>
      piece.scheduled
        ? [{ piece, at: new Date(piece.scheduled.at), failed: piece.scheduled.problem !== null }]
        : [],
    )
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  for (const entry of scheduled) {
    const day = longDay.format(entry.at);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  if (days.size === 0) return null;
  return (
    <Part title="Calendar">
      <ol className={CARD}>
        {[...days].map(([day, entries]) => (
          <li key={day} className="gap-4 px-4 py-2.5 sm:flex">
            <h3 className="shrink-0 text-soft sm:w-56">{day}</h3>
            <ul className="min-w-0 flex-1 space-y-1">
              {entries.map(({ piece, at, failed }) => (
                <li key={`${piece.type}/${piece.slug}`} className="flex gap-3">
                  <time dateTime={at.toISOString()} className="shrink-0 tabular-nums">
                    {clock.format(at)}
                  </time>
                  <LinkToPiece piece={piece} />
                  {failed && <span className="text-xs text-bad">could not be published</span>}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </Part>
  );
}

function LinkToPiece({ piece }: { readonly piece: Piece }) {
  return (
    <Link
      to="/content/$type/$slug"
      params={{ type: piece.type, slug: piece.slug }}
      className="line-clamp-3 min-w-0 font-medium wrap-anywhere underline decoration-line underline-offset-4 hover:decoration-current"
    >
      <Visible text={titleOf(piece)} />
    </Link>
  );
}

function Pieces({ content }: { readonly content: readonly TypeWithPieces[] }) {
  const filled = content.filter(({ pieces }) => pieces.length > 0);
  if (filled.length === 0)
    return (
      <Empty icon={Newspaper} title="Nothing written yet">
        Start a campaign, or write something yourself.
      </Empty>
    );
  return filled.map(({ type, pieces }) => (
    <Part key={type.name} title={type.title}>
      <ul className={CARD}>
        {pieces.map((piece) => (
          <li key={piece.slug} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
            <span className="min-w-0 flex-1 basis-48">
              <LinkToPiece piece={piece} />
            </span>
            <PieceState piece={piece} />
          </li>
        ))}
      </ul>
    </Part>
  ));
}
