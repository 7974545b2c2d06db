// An approval: what the call would do, and the possible decisions. Repeated clicks send one decision; if another person
// was faster, the card shows their decision. An answered card stays and no card shrinks, so that nothing moves under
// the pointer.

import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import { When } from '../ui/format.tsx';
import { Visible } from '../ui/visible.tsx';
import { useIsReplay } from '../chat/replay-context.ts';
import { isPublishing } from '../content/queries.ts';
import { PublishingQuestion } from '../content/question.tsx';
import { AnswerForm } from './answer-form.tsx';
import { AlwaysAllow } from './always-allow.tsx';
import { EditInput } from './edit-input.tsx';
import { useNonShrinking } from './non-shrinking.ts';
import { Preview } from './preview.tsx';
import { useAnswer, type Answer } from './use-answer.ts';

export interface Question {
  readonly id: string;
  readonly kind: 'call' | 'unknown_outcome' | 'question';
  readonly tool: string;
  readonly input?: unknown;
  readonly paths: readonly string[];
  readonly reason: string;
  /** For a question: the JSON schema of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly expires_at: string | null;
}

const HEADINGS: Record<Question['kind'], string> = {
  call: 'Approve this call?',
  unknown_outcome: 'Outcome unknown',
  question: 'A question for you',
};

interface CardProps {
  readonly approval: Question;
  /** Text about a decision that was made elsewhere. */
  readonly decided?: string | null;
}

export function ApprovalCard(props: CardProps) {
  const Shown = isPublishing(props.approval) ? PublishingQuestion : Card;
  return <Shown key={props.approval.id} {...props} />;
}

function Card({ approval, decided = null }: CardProps) {
  const { answer, state } = useAnswer(approval.id);
  const decisionText = state.kind === 'answered' ? state.decisionText : decided;
  const isReplay = useIsReplay();
  const card = useNonShrinking();
  const [comment, setComment] = useState<string | null>(null);
  const [open, setOpen] = useState<'edit' | 'always' | null>(null);
  // After a part closes, the focus returns to the button that opened it.
  const [closed, setClosed] = useState<'edit' | 'always' | 'comment' | null>(null);
  const busy = state.kind === 'answering' || isReplay;
  const close = () => {
    // While a request is in flight, nothing closes.
    if (busy) return;
    setClosed(open ?? 'comment');
    if (open === null) setComment(null);
    setOpen(null);
  };
  useEscape(decisionText === null && (open !== null || comment !== null) ? close : null);
  const decide = (decision: Answer) => {
    // The focused button is about to disappear: move the focus to the card.
    if (document.activeElement === document.body || card.current?.contains(document.activeElement))
      card.current?.focus({ preventScroll: true });
    answer({ ...decision, ...(comment?.trim() && { comment: comment.trim() }) });
  };
  const unknown = approval.kind === 'unknown_outcome';
  const question = approval.kind === 'question';
  return (
    <div
      ref={card}
      role="group"
      aria-label={`${question ? 'Question from' : 'Approval of'} ${approval.tool}`}
      tabIndex={-1}
      className={`px-4 py-3 -outline-offset-2 ${decisionText === null ? 'bg-warn-wash/60' : ''}`}
    >
      <h2
        className={`flex items-center gap-2 text-sm font-semibold ${decisionText === null ? 'text-warn' : 'text-soft'}`}
      >
        <ShieldQuestion className="size-4 shrink-0" aria-hidden="true" />
        {decisionText !== null ? 'Decided' : HEADINGS[approval.kind]}
      </h2>
      <p className="mt-1 text-sm wrap-anywhere">
        {unknown ? (
          <>
            The server stopped during <Tool approval={approval} />. Check whether the call took effect before
            you retry it.
          </>
        ) : question ? (
          <>
            The MCP server of <Tool approval={approval} /> asks you. Your answer is sent to that server.
          </>
        ) : (
          <>
            The agent {decisionText === null ? 'wants' : 'wanted'} to call <Tool approval={approval} />.
          </>
        )}
      </p>
      {!question && (
        <div className="mt-2">
          <Preview tool={approval.tool} input={approval.input} decided={decisionText !== null} />
        </div>
      )}
      <p
        className={
          question ? 'mt-2 text-sm whitespace-pre-wrap wrap-anywhere' : 'mt-2 text-xs text-soft wrap-anywhere'
        }
      >
        <Visible text={question ? approval.reason : sentence(approval.reason)} />
        {approval.expires_at && (
          <>
            {' '}
            Expires <When at={approval.expires_at} />.
          </>
        )}
      </p>
      {decisionText !== null && (
        <p role="status" className="mt-3 py-1.5 text-sm font-medium wrap-anywhere">
          {decisionText}
        </p>
      )}
      {decisionText === null && question && (
        <AnswerForm
          schema={approval.schema ?? {}}
          busy={busy}
          answer={(input) => decide({ decision: 'answer', input })}
          decline={() => decide({ decision: 'deny' })}
          dismiss={() => decide({ decision: 'skip' })}
        />
      )}
      {decisionText === null && open === 'edit' && (
        <EditInput
          input={approval.input}
          busy={busy}
          cancel={close}
          save={(input) => decide({ decision: 'edit', input })}
        />
      )}
      {decisionText === null && open === 'always' && (
        <AlwaysAllow
          approval={approval}
          busy={busy}
          cancel={close}
          allowed={() => decide({ decision: 'approve' })}
        />
      )}
      {decisionText === null && open === null && !question && (
        <>
          {comment !== null && (
            <input
              autoFocus
              aria-label="Comment for the model"
              placeholder="The model sees this comment"
              maxLength={2000}
              value={comment}
              onChange={(event) => setComment(event.target.value)}
              className="mt-2 w-full rounded-lg border border-strong bg-page px-3 py-1.5 text-sm"
            />
          )}
          <div className="mt-3 flex flex-wrap gap-2">
            {unknown ? (
              <>
                <Button kind="primary" disabled={busy} onClick={() => decide({ decision: 'retry' })}>
                  Retry
                </Button>
                <Button disabled={busy} onClick={() => decide({ decision: 'skip' })}>
                  Skip
                </Button>
              </>
            ) : (
              <>
                <Button kind="primary" disabled={busy} onClick={() => decide({ decision: 'approve' })}>
                  Approve
                </Button>
                <Button kind="danger" disabled={busy} onClick={() => decide({ decision: 'deny' })}>
                  Deny
                </Button>
                <Button autoFocus={closed === 'edit'} disabled={busy} onClick={() => setOpen('edit')}>
                  Edit…
                </Button>
                <Button autoFocus={closed === 'always'} disabled={busy} onClick={() => setOpen('always')}>
                  Always allow…
                </Button>
              </>
            )}
            {comment === null && (
              <Button
                kind="quiet"
                autoFocus={closed === 'comment'}
                disabled={busy}
                onClick={() => setComment('')}
              >
                Comment…
              </Button>
            )}
          </div>
        </>
      )}
      {decisionText === null && state.kind === 'failed' && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {state.problem}
        </p>
      )}
    </div>
  );
}

function Tool({ approval: { tool, paths } }: { readonly approval: Question }) {
  return (
    <>
      <code className="font-mono text-[0.9em] font-semibold">
        <Visible text={tool} />
      </code>
      {paths.length > 0 && (
        <>
          {' '}
          on{' '}
          <code className="font-mono text-[0.9em]">
            <Visible text={paths.join(', ')} />
          </code>
        </>
      )}
    </>
  );
}

function sentence(words: string): string {
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`;
}
