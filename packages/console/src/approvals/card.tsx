// A question to a person about one call: exactly what would be done, and the answers. Each answer is given once, however
// often it is clicked; whoever comes second is told what was decided. What is below a card never comes up under a pointer
// that is about to click: a card that is answered stays, and none becomes smaller.

import { useQueryClient } from '@tanstack/react-query';
import { ShieldQuestion } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import { When } from '../ui/time.tsx';
import { Visible } from '../ui/visible.tsx';
import { useIsPast } from '../chat/past.ts';
import { AnswerForm } from './answer-form.tsx';
import { AlwaysAllow } from './always-allow.tsx';
import { EditInput } from './edit-input.tsx';
import { Preview } from './preview.tsx';

export interface Question {
  readonly id: string;
  readonly kind: 'call' | 'unknown_outcome' | 'question';
  readonly tool: string;
  readonly input?: unknown;
  readonly paths: readonly string[];
  readonly reason: string;
  /** Of a question: that of the answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly expires_at: string | null;
}

type Answer = Parameters<typeof client.approvals.decide>[1];

const TOLD: Record<Answer['decision'], string> = {
  approve: 'Approved. The run goes on.',
  edit: 'Approved with changes. The run goes on.',
  deny: 'Denied. The model is told.',
  retry: 'It is made again.',
  skip: 'It is skipped. The model is told.',
  answer: 'Answered. The call goes on.',
};

const HEADINGS: Record<Question['kind'], string> = {
  call: 'May this be done?',
  unknown_outcome: 'Did it happen? Nobody knows',
  question: 'A question for you',
};

interface CardProps {
  readonly approval: Question;
  /** What is known of a decision that was made elsewhere. */
  readonly decided?: string | null;
}

export function ApprovalCard(props: CardProps) {
  return <Card key={props.approval.id} {...props} />;
}

function Card({ approval, decided = null }: CardProps) {
  const { answer, state } = useAnswer(approval.id);
  const told = state.kind === 'answered' ? state.told : decided;
  const past = useIsPast();
  const card = useSteadyPlace();
  const [comment, setComment] = useState<string | null>(null);
  const [open, setOpen] = useState<'edit' | 'always' | null>(null);
  // Whoever closes a part is where it was opened from.
  const [closed, setClosed] = useState<'edit' | 'always' | 'comment' | null>(null);
  const busy = state.kind === 'answering' || past;
  const close = () => {
    // What is on its way is waited for.
    if (busy) return;
    setClosed(open ?? 'comment');
    if (open === null) setComment(null);
    setOpen(null);
  };
  useEscape(told === null && (open !== null || comment !== null) ? close : null);
  const say = (decision: Answer) => {
    // The button that has the focus goes.
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
      aria-label={`${question ? 'Question of' : 'Approval of'} ${approval.tool}`}
      tabIndex={-1}
      className={`px-4 py-3 -outline-offset-2 ${told === null ? 'bg-warn-wash/60' : ''}`}
    >
      <h2
        className={`flex items-center gap-2 text-sm font-semibold ${told === null ? 'text-warn' : 'text-soft'}`}
      >
        <ShieldQuestion className="size-4 shrink-0" aria-hidden="true" />
        {told !== null ? 'Decided' : HEADINGS[approval.kind]}
      </h2>
      <p className="mt-1 text-sm wrap-anywhere">
        {unknown ? (
          <>
            The server went away during <Tool approval={approval} />. Look whether it took effect before it is
            made again.
          </>
        ) : question ? (
          <>
            The server of <Tool approval={approval} /> asks you. Your answer is sent to that server.
          </>
        ) : (
          <>
            The agent {told === null ? 'wants' : 'wanted'} to call <Tool approval={approval} />.
          </>
        )}
      </p>
      {!question && (
        <div className="mt-2">
          <Preview tool={approval.tool} input={approval.input} decided={told !== null} />
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
      {told !== null && (
        <p role="status" className="mt-3 py-1.5 text-sm font-medium wrap-anywhere">
          {told}
        </p>
      )}
      {told === null && question && (
        <AnswerForm
          schema={approval.schema ?? {}}
          busy={busy}
          answer={(input) => say({ decision: 'answer', input })}
          decline={() => say({ decision: 'deny' })}
          dismiss={() => say({ decision: 'skip' })}
        />
      )}
      {told === null && open === 'edit' && (
        <EditInput
          input={approval.input}
          busy={busy}
          cancel={close}
          save={(input) => say({ decision: 'edit', input })}
        />
      )}
      {told === null && open === 'always' && (
        <AlwaysAllow
          approval={approval}
          busy={busy}
          cancel={close}
          allowed={() => say({ decision: 'approve' })}
        />
      )}
      {told === null && open === null && !question && (
        <>
          {comment !== null && (
            <input
              autoFocus
              aria-label="Comment for the model"
              placeholder="The model is told this"
              maxLength={2000}
              value={comment}
              onChange={(event) => setComment(event.target.value)}
              className="mt-2 w-full rounded-lg border border-strong bg-page px-3 py-1.5 text-sm"
            />
          )}
          <div className="mt-3 flex flex-wrap gap-2">
            {unknown ? (
              <>
                <Button kind="primary" disabled={busy} onClick={() => say({ decision: 'retry' })}>
                  Make it again
                </Button>
                <Button disabled={busy} onClick={() => say({ decision: 'skip' })}>
                  Skip
                </Button>
              </>
            ) : (
              <>
                <Button kind="primary" disabled={busy} onClick={() => say({ decision: 'approve' })}>
                  Approve
                </Button>
                <Button kind="danger" disabled={busy} onClick={() => say({ decision: 'deny' })}>
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
      {told === null && state.kind === 'failed' && (
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

/** Of a card that is never smaller than it was, and that hands on the focus when it goes. */
function useSteadyPlace() {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = card.current!;
    const keep = () => {
      element.style.minHeight = `${element.offsetHeight}px`;
    };
    const measureAnew = () => {
      element.style.minHeight = '';
      keep();
    };
    const grown = new ResizeObserver(keep);
    grown.observe(element);
    window.addEventListener('resize', measureAnew);
    return () => {
      grown.disconnect();
      window.removeEventListener('resize', measureAnew);
      if (element.contains(document.activeElement))
        element.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
    };
  }, []);
  return card;
}

type AnswerState =
  | { readonly kind: 'open' }
  | { readonly kind: 'answering' }
  | { readonly kind: 'answered'; readonly told: string }
  | { readonly kind: 'failed'; readonly problem: string };

function useAnswer(id: string) {
  const cache = useQueryClient();
  const [state, setState] = useState<AnswerState>({ kind: 'open' });
  const given = useRef(false);
  const send = async (body: Answer) => {
    // A second click comes before the button is drawn anew.
    if (given.current) return;
    given.current = true;
    setState({ kind: 'answering' });
    try {
      await client.approvals.decide(id, body);
      setState({ kind: 'answered', told: TOLD[body.decision] });
    } catch (error) {
      given.current = false;
      const late = error instanceof ApiError && error.status === 409;
      setState(
        late
          ? { kind: 'answered', told: error.message }
          : { kind: 'failed', problem: (error as Error).message },
      );
    }
    void cache.invalidateQueries({ queryKey: keys.approvals });
  };
  return { state, answer: (body: Answer) => void send(body) };
}
