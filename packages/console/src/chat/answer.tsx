// A model's answer, with its reasoning.

import type { AnswerItem, Turn } from '@continuo/protocol';
import { Link } from '@tanstack/react-router';
import { ChevronRight, ScanSearch } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { between } from '../ui/format.tsx';
import { AnswerAgain } from './answer-again.tsx';
import { MomentLink } from './moment-link.tsx';

export function Answer({ item, turn }: { readonly item: AnswerItem; readonly turn: Turn }) {
  const text = item.parts
    .filter(({ kind }) => kind === 'text')
    .map((part) => part.text)
    .join('');
  if (item.state === 'superseded') return <Superseded item={item} text={text} />;
  const streaming = item.state === 'streaming';
  return (
    <article aria-label="Answer" aria-busy={streaming} className="group">
      {item.parts.map((part, index) =>
        part.kind === 'thought' ? (
          <Thought
            key={index}
            text={part.text}
            open={streaming && index === item.parts.length - 1}
            took={between(part.from, item.parts[index + 1]?.from ?? item.endedAt)}
          />
        ) : (
          <Markdown key={index} text={part.text} />
        ),
      )}
      {streaming && item.parts.length === 0 && <Waiting />}
      {item.error && turn.error === null && <p className="mt-1 text-sm text-bad">{item.error.error}</p>}
      {text !== '' && (
        // The space is reserved from the start, so that nothing moves when the answer ends.
        <div title={item.model ?? undefined} className="-mb-3 -ml-1.5 flex h-7 items-center">
          {!streaming && (
            <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
              <CopyButton text={text} what="the answer" />
              <MomentLink seq={item.seq} />
              <ContextLink run={turn.run} message={item.message} />
              {item === turn.items.at(-1) && <AnswerAgain turn={turn} />}
            </span>
          )}
        </div>
      )}
    </article>
  );
}

function ContextLink({ run, message }: { readonly run: string; readonly message: string }) {
  return (
    <Link
      to="/runs/$run"
      params={{ run }}
      search={{ view: 'context', call: message }}
      aria-label="What the model saw"
      title="What the model saw"
      className="grid size-7 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink"
    >
      <ScanSearch className="size-3.5" aria-hidden="true" />
    </Link>
  );
}

export function Waiting() {
  return (
    <p className="flex h-6 items-center gap-1" role="status">
      <span className="sr-only">The model is working</span>
      {[0, 200, 400].map((delay) => (
        <span
          key={delay}
          aria-hidden="true"
          className="breathe size-1.5 rounded-full bg-soft"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </p>
  );
}

function Thought({
  text,
  open,
  took,
}: {
  readonly text: string;
  readonly open: boolean;
  readonly took: string | null;
}) {
  return (
    <details className="group/fold mb-2 text-sm text-soft">
      <FoldHead>
        <span className={open ? 'breathe' : ''}>
          {open ? 'Thinking…' : `Thought${took ? ` · ${took}` : ''}`}
        </span>
      </FoldHead>
      <div className="mt-1 ml-2 border-l-2 pl-3 whitespace-pre-wrap">{text}</div>
    </details>
  );
}

function Superseded({ item, text }: { readonly item: AnswerItem; readonly text: string }) {
  return (
    <details className="group/fold text-sm text-soft">
      <FoldHead>
        {item.error
          ? `Superseded: ${item.error.error.replace(/\.$/, '')}. The model was asked again.`
          : 'Superseded: the server stopped while the model was answering; the next attempt replaces this.'}
      </FoldHead>
      <div className="mt-1 ml-2 border-l-2 pl-3 whitespace-pre-wrap line-through decoration-1">
        {text || item.parts.map((part) => part.text).join('')}
      </div>
    </details>
  );
}

function FoldHead({ children }: { readonly children: ReactNode }) {
  return (
    <summary className="inline-flex list-none items-start gap-1 rounded-md py-0.5 pr-2 hover:text-ink">
      <ChevronRight
        className="mt-0.5 size-4 shrink-0 transition-transform group-open/fold:rotate-90"
        aria-hidden="true"
      />
      {children}
    </summary>
  );
}
