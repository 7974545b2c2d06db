// Where a message is written: Enter sends it, Shift+Enter makes a line, Escape stops what is going on.

import { ArrowUp, Paperclip, Square, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { AttachMenu } from './attach.tsx';
import { DRAFTS } from './drafts.ts';

export interface Draft {
  readonly content: string;
  readonly files: readonly string[];
}

interface ComposerProps {
  /** Under which what was typed is kept until it is sent. */
  readonly place: string;
  readonly placeholder: string;
  /** Resolves when the message is taken in; what it rejects with is shown, and the text stays. */
  readonly send: (draft: Draft) => Promise<void>;
  /** What can be stopped now. */
  readonly stop?: (() => void) | undefined;
  readonly stopping?: boolean;
  /** Choices that go with the message. */
  readonly children?: ReactNode;
}

export function Composer({ place, placeholder, send, stop, stopping = false, children }: ComposerProps) {
  const [text, setText] = useState(() => DRAFTS.read(place));
  const [files, setFiles] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => DRAFTS.write(place, text), [place, text]);
  useFocusKeys(field);
  const ready = text.trim() !== '' && !busy;
  const submit = async () => {
    if (!ready) return;
    setBusy(true);
    setProblem(null);
    try {
      await send({ content: text, files });
      setText('');
      setFiles([]);
      DRAFTS.write(place, '');
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setBusy(false);
      field.current?.focus();
    }
  };
  const attach = (path: string) => setFiles((known) => [...new Set([...known, path])]);
  return (
    <form
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="rounded-2xl border border-strong/60 bg-raised shadow-sm transition-shadow focus-within:border-accent focus-within:shadow-md"
    >
      {files.length > 0 && (
        <ul className="flex flex-wrap gap-1.5 px-3 pt-3">
          {files.map((path) => (
            <li
              key={path}
              className="inline-flex items-center gap-1 rounded-md border bg-sunken py-0.5 pr-1 pl-2 font-mono text-xs"
            >
              <Paperclip className="size-3 text-soft" aria-hidden="true" />
              {path}
              <button
                type="button"
                aria-label={`Do not send ${path}`}
                onClick={() => setFiles(files.filter((file) => file !== path))}
                className="grid size-5 place-items-center rounded hover:bg-hover"
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
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && stop) {
            event.preventDefault();
            event.stopPropagation();
            stop();
          }
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void submit();
        }}
        className="block field-sizing-content max-h-72 min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1"
      />
      {problem && (
        <p role="alert" className="px-4 pb-1 text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-0.5 px-2 pb-2">
        <AttachMenu attach={attach} failed={setProblem} />
        {children}
        <span className="ml-auto flex items-center gap-1.5">
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

/** `/` outside of a field, and Ctrl-K anywhere, lead to the message. */
function useFocusKeys(field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).closest('input, textarea, select, [contenteditable=true]');
      const slash = event.key === '/' && !typing && !event.ctrlKey && !event.metaKey;
      const k = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!slash && !k) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, [field]);
}
