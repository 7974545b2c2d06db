// A person's message, which can be copied, or edited and sent again.

import type { PersonItem, Turn } from '@continuo/protocol';
import { Pencil } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { newKey } from '@continuo/client';
import { client } from '../data/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { kerning } from '../ui/kerning.ts';
import { useParam } from '../app/router.tsx';
import { FileLink } from './file-link.tsx';
import { useIsReplay } from './replay-context.ts';
import { sendErrorText, ignoreKeyReuse } from './send-errors.ts';
import { focusComposer } from './focus-composer.ts';
import { MomentLink } from './moment-link.tsx';
import { useTranscriptActions } from './transcript-actions.ts';
import { VariantSwitch } from './variant-switch.tsx';

interface PersonMessageProps {
  readonly item: PersonItem;
  readonly turn: Turn;
  readonly forgotten: boolean;
}

export function PersonMessage({ item, turn, forgotten }: PersonMessageProps) {
  const [editing, setEditing] = useState<'no' | 'yes' | 'closed'>('no');
  const isReplay = useIsReplay();
  if (editing === 'yes')
    return (
      <Edit
        item={item}
        run={turn.run}
        forgotten={forgotten}
        close={() => setEditing('closed')}
        sent={() => setEditing('no')}
      />
    );
  return (
    <article aria-label="You" className="group flex flex-col items-end pt-2">
      <div
        dir="auto"
        className={`max-w-[85%] rounded-2xl rounded-br-md bg-accent-wash px-4 py-2.5 break-words whitespace-pre-wrap ${kerning(item.content)}`}
      >
        {item.content}
      </div>
      {item.files.length > 0 && (
        <ul className="mt-1.5 flex max-w-[85%] flex-wrap justify-end gap-1.5">
          {item.files.map(({ file, path, v }) => (
            <li key={file} className="max-w-full">
              <FileLink path={path} version={v} />
            </li>
          ))}
        </ul>
      )}
      <div className="-mb-3 flex h-7 items-center gap-0.5 text-xs text-soft">
        {item.steer && <span className="mr-1">Sent while the run was open</span>}
        {forgotten && <span className="mr-1">Rewound</span>}
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
          <CopyButton text={item.content} what="the message" />
          <MomentLink seq={item.seq} />
          {!item.steer && !forgotten && !isReplay && (
            <IconButton
              label="Edit and send again"
              className="!size-7 [&>svg]:!size-3.5"
              autoFocus={editing === 'closed'}
              onClick={() => setEditing('yes')}
            >
              <Pencil />
            </IconButton>
          )}
        </span>
        {!item.steer && <VariantSwitch turn={turn} />}
      </div>
    </article>
  );
}

interface EditProps {
  readonly item: PersonItem;
  readonly run: string;
  readonly forgotten: boolean;
  readonly close: () => void;
  readonly sent: () => void;
}

function Edit({ item, run, forgotten, close, sent }: EditProps) {
  const { hold, follow } = useTranscriptActions();
  // If another tab rewinds the message meanwhile, its turn is not folded away under the field.
  useEffect(() => {
    hold(run);
    return () => hold(null);
  }, [hold, run]);
  const chat = useParam('chat');
  const [text, setText] = useState(item.content);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  /** The idempotency key: unchanged until the server accepts the text or the person changes it. */
  const key = useRef<string | null>(null);
  // A request in flight cannot be canceled here.
  const leave = () => busy || close();
  useEscape(leave);
  const send = async () => {
    if (busy || text.trim() === '') return;
    setBusy(true);
    setProblem(null);
    key.current ??= newKey();
    const message = {
      content: text,
      ...(!forgotten && { replaces: item.id }),
      ...(item.files.length > 0 && { files: item.files.map(({ file }) => file) }),
    };
    try {
      await ignoreKeyReuse(client.chats.send(chat, message, { idempotencyKey: key.current }));
      focusComposer(box.current);
      sent();
      follow();
    } catch (error) {
      setProblem(sendErrorText(error as Error));
      setBusy(false);
    }
  };
  // While this edit is being sent, it is the one that rewinds the message.
  const late = forgotten && !busy;
  return (
    <div ref={box} className="rounded-xl border border-accent bg-raised p-3">
      <textarea
        autoFocus
        aria-label="Edit the message"
        readOnly={busy}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(null);
          key.current = null;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
        className={`field-sizing-content max-h-80 w-full resize-none bg-transparent ${kerning(text)}`}
      />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <p className="mr-auto text-xs text-soft">
          {problem ? (
            <span role="alert" className="text-bad">
              {problem}
            </span>
          ) : late ? (
            'This message was rewound in the meantime. Sending creates a new message.'
          ) : (
            'Everything after this message is rewound. Files are not affected.'
          )}
        </p>
        <Button disabled={busy} onClick={leave}>
          Cancel
        </Button>
        <Button kind="primary" disabled={busy || text.trim() === ''} onClick={() => void send()}>
          {late ? 'Send as a new message' : 'Send again'}
        </Button>
      </div>
    </div>
  );
}
