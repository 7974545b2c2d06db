// An agent that asks to publish a piece or to take it off, in words that need no programming: on the page of the piece, among the
// approvals, and in the chat.

import { Link } from '@tanstack/react-router';
import { Newspaper, Paperclip, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useNonShrinking } from '../approvals/non-shrinking.ts';
import { useAnswer } from '../approvals/use-answer.ts';
import { useIsReplay } from '../chat/replay-context.ts';
import { FIELD } from '../settings/section.tsx';
import { Button } from '../ui/button.tsx';
import { Visible } from '../ui/visible.tsx';
import { inWords, pieceOf, publishingWords, useCheck } from './queries.ts';

interface QuestionProps {
  readonly approval: { readonly id: string; readonly tool: string; readonly input?: unknown };
  /** Text about a decision that was made elsewhere. */
  readonly decided?: string | null;
  /** The page shows the piece already. */
  readonly isOnItsPage?: boolean;
}

export function PublishingQuestion({ approval, decided = null, isOnItsPage = false }: QuestionProps) {
  const { answer, state } = useAnswer(approval.id);
  const [comment, setComment] = useState('');
  const [said, setSaid] = useState<'yes' | 'no'>('yes');
  const isReplay = useIsReplay();
  const card = useNonShrinking();
  const publishes = approval.tool === 'publish_content';
  const piece = pieceOf(approval)!;
  const { version: given } = approval.input as { readonly version?: unknown };
  const version = typeof given === 'number' ? given : null;
  const isOpen = state.kind !== 'answered' && decided === null;
  const { data: checked, error, isPending } = useCheck(piece, publishes && isOpen ? version : null);
  const name = checked?.title ?? inWords(piece.slug);
  const question = `${publishingWords(approval, name)}?`;
  // Nobody can agree before the files that readers would get are shown.
  const busy = state.kind === 'answering' || isReplay || (publishes && version !== null && isPending);
  const decide = (decision: 'yes' | 'no') => {
    // The button that has the focus is about to disappear.
    card.current?.focus({ preventScroll: true });
    setSaid(decision);
    const text = comment.trim();
    answer({ decision: decision === 'yes' ? 'approve' : 'deny', ...(text !== '' && { comment: text }) });
  };
  return (
    <div
      ref={card}
      role="group"
      aria-label={question}
      tabIndex={-1}
      className={`px-4 py-3 text-sm -outline-offset-2 ${isOpen ? 'bg-warn-wash/60' : ''}`}
    >
      <h2 className="flex items-center gap-2 font-semibold wrap-anywhere">
        <Newspaper className="size-4 shrink-0" aria-hidden="true" />
        <Visible text={question} />
      </h2>
      {isOpen ? (
        <>
          <p className="mt-1">
            {publishes
              ? `The team asks you. If you agree, readers see ${version === null ? 'it' : `version ${version}`}.`
              : 'The team asks you. If you agree, readers no longer find it; the text stays.'}{' '}
            {!isOnItsPage && (
              <Link
                to="/content/$type/$slug"
                params={piece}
                className="font-medium underline underline-offset-4"
              >
                Read “<Visible text={name} />” first
              </Link>
            )}
          </p>
          {checked && checked.files.length > 0 && (
            <p className="mt-2 flex gap-2">
              <Paperclip className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
              <span className="min-w-0 wrap-anywhere">
                Readers also get: <Visible text={checked.files.map(({ path }) => path).join(', ')} />
              </span>
            </p>
          )}
          {(error || (checked && checked.problems.length > 0)) && (
            <p className="mt-2 flex gap-2 text-bad">
              <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
              <span className="min-w-0 wrap-anywhere">
                It cannot be published as it is. <Visible text={error?.message ?? ''} />
              </span>
            </p>
          )}
          <input
            aria-label="A comment for the team"
            placeholder="A comment for the team, if you like"
            maxLength={2000}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
            className={`${FIELD} mt-2`}
          />
          <div className="mt-3 flex flex-wrap gap-2">
            <Button kind="primary" disabled={busy} onClick={() => decide('yes')}>
              {publishes ? 'Publish it' : 'Take it off'}
            </Button>
            <Button disabled={busy} onClick={() => decide('no')}>
              Not now
            </Button>
          </div>
        </>
      ) : (
        <p role="status" className="mt-1 wrap-anywhere">
          {state.kind !== 'answered' ? (
            <Visible text={decided ?? ''} />
          ) : state.late ? (
            <Visible text={state.decisionText} />
          ) : said === 'yes' ? (
            'You agreed. The team continues.'
          ) : (
            'You said no. The team is told.'
          )}
        </p>
      )}
      {state.kind === 'failed' && (
        <p role="alert" className="mt-2 text-bad wrap-anywhere">
          {state.problem}
        </p>
      )}
    </div>
  );
}
