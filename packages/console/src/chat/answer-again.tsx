// Asks for another answer to the last message of a chat: rewinds the chat to before the message, and sends it again.

import type { PersonItem, Turn } from '@continuo/protocol';
import { newKey } from '@continuo/client';
import { RefreshCw } from 'lucide-react';
import { useRef, useState } from 'react';
import { useParam } from '../app/router.tsx';
import { client } from '../data/client.ts';
import { IconButton } from '../ui/button.tsx';
import { focusComposer } from './focus-composer.ts';
import { useIsReplay } from './replay-context.ts';
import { ignoreKeyReuse, sendErrorText } from './send-errors.ts';
import { useTranscriptActions } from './transcript-actions.ts';

export function AnswerAgain({ turn }: { readonly turn: Turn }) {
  const { last, follow } = useTranscriptActions();
  const isReplay = useIsReplay();
  const chat = useParam('chat');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const button = useRef<HTMLSpanElement>(null);
  const key = useRef<string | null>(null);
  const said = turn.items.filter((item): item is PersonItem => item.kind === 'person');
  const [message] = said;
  // Messages that were sent to the running run would be lost.
  if (isReplay || last !== turn || turn.state !== 'done' || turn.forgotten !== null) return null;
  if (!message || said.length > 1) return null;
  const again = async () => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    key.current ??= newKey();
    try {
      const { model, role } = await client.runs.get(turn.run);
      const files = message.files.map(({ file }) => file);
      const body = {
        content: message.content,
        replaces: message.id,
        model,
        role,
        ...(files.length > 0 && { files }),
      };
      await ignoreKeyReuse(client.chats.send(chat, body, { idempotencyKey: key.current }));
      focusComposer(button.current);
      follow();
    } catch (error) {
      setProblem(sendErrorText(error as Error));
      setBusy(false);
    }
  };
  return (
    <span ref={button} className="flex items-center">
      <IconButton
        label="Answer again"
        className="!size-7 [&>svg]:!size-3.5"
        disabled={busy}
        onClick={() => void again()}
      >
        <RefreshCw />
      </IconButton>
      {problem && (
        <span role="alert" className="text-xs text-bad">
          {problem}
        </span>
      )}
    </span>
  );
}
