// The field for a new message: Enter sends, Shift+Enter starts a new line.

import { ArrowUp, Paperclip, Square, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { kerning } from '../ui/kerning.ts';
import { Visible } from '../ui/visible.tsx';
import { AttachMenu } from './attach.tsx';
import type { DraftHandle, Sending } from './message-draft.ts';
import { sendErrorText } from './send-errors.ts';
import { focusComposer } from './focus-composer.ts';
import { uploader } from './upload.ts';

interface ComposerProps {
  readonly draft: DraftHandle;
  readonly placeholder: string;
  /** Resolves when the server has accepted the message. If it rejects, the error is shown and the text stays. */
  readonly send: (draft: Sending) => Promise<void>;
  /** Stops the open run, if there is one. */
  readonly stop?: (() => void) | undefined;
  readonly stopping?: boolean;
  /** Pickers for the role, the model and the busy policy. */
  readonly children?: ReactNode;
  /** The options of a new chat's mode. */
  readonly options?: ReactNode;
  /** How full the model's context window is. */
  readonly context?: ReactNode;
}

export function Composer({
  draft: { draft, change, send: sendDraft },
  placeholder,
  send,
  stop,
  stopping = false,
  children,
  options,
  context,
}: ComposerProps) {
  const { content: text, files } = draft;
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const free = stop === undefined;
  // An error about one text says nothing about the next.
  useEffect(() => setProblem(null), [text, free]);
  useFocusKeys(field);
  const ready = text.trim() !== '' && !busy;
  const submit = async () => {
    if (!ready) return;
    setBusy(true);
    setProblem(null);
    try {
      await sendDraft(send);
    } catch (error) {
      setProblem(sendErrorText(error as Error));
    } finally {
      setBusy(false);
      focusComposer(field.current?.form ?? null);
    }
  };
  const attach = (path: string) => change((now) => ({ files: [...new Set([...now.files, path])] }));
  const upload = uploader({ attach, report: setProblem });
  return (
    <form
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onPaste={(event) => upload.fromEvent(event, event.clipboardData)}
      onDrop={(event) => upload.fromEvent(event, event.dataTransfer)}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      className="rounded-2xl border border-strong/60 bg-raised shadow-sm transition-shadow focus-within:border-accent focus-within:shadow-md"
    >
      {files.length > 0 && (
        <ul className="flex flex-wrap gap-1.5 px-3 pt-3">
          {files.map((path) => (
            <li
              key={path}
              className="inline-flex max-w-full items-center gap-1 rounded-md border bg-sunken py-0.5 pr-1 pl-2 font-mono text-xs"
            >
              <Paperclip className="size-3 shrink-0 text-soft" aria-hidden="true" />
              <span className="truncate">
                <Visible text={path} />
              </span>
              <button
                type="button"
                aria-label={`Detach ${path}`}
                onClick={() => change({ files: files.filter((file) => file !== path) })}
                className="grid size-5 shrink-0 place-items-center rounded hover:bg-hover"
              >
                <X className="size-3" aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={field}
        id="message"
        aria-label="Message"
        rows={1}
        value={text}
        placeholder={placeholder}
        onChange={(event) => change({ content: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void submit();
        }}
        className={`block field-sizing-content max-h-72 min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1 ${kerning(text)}`}
      />
      {problem && (
        <p role="alert" className="px-4 pb-1 text-sm text-bad">
          {problem}
        </p>
      )}
      {options}
      <div className="flex flex-wrap items-center gap-0.5 px-2 pb-2">
        <AttachMenu attach={attach} upload={upload.all} />
        {children}
        <span className="ml-auto flex items-center gap-1.5">
          {context}
          {stop && (
            <IconButton
              label={stopping ? 'Stopping…' : 'Stop (Esc)'}
              kind="plain"
              disabled={stopping}
              onClick={stop}
              className="!rounded-full"
            >
              <Square className="!size-3.5 fill-current" />
            </IconButton>
          )}
          <IconButton
            label="Send (Enter)"
            kind="primary"
            type="submit"
            disabled={!ready}
            className="!rounded-full"
          >
            <ArrowUp />
          </IconButton>
        </span>
      </div>
    </form>
  );
}

/** `/` outside of a field focuses the message field. */
function useFocusKeys(field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest('input, textarea, select, [contenteditable=true]');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, [field]);
}
