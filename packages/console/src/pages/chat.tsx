// A chat: what was said and done in it, and the next message.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ChatView } from '@continuo/protocol';
import { titleOf } from '../app/chat-entry.tsx';
import { useParam } from '../app/router.tsx';
import { useTitle } from '../app/title.ts';
import { StatusBar } from '../chat/bar.tsx';
import { useBehind } from '../chat/behind.ts';
import { Composer, type Draft } from '../chat/composer.tsx';
import { ModelPicker, PolicyPicker, RolePicker, type Policy } from '../chat/pickers.tsx';
import { Queue } from '../chat/queue.tsx';
import { useStatus } from '../chat/use-status.ts';
import { Transcript } from '../chat/transcript.tsx';
import { Waiting } from '../chat/answer.tsx';
import { client } from '../data/client.ts';
import { useLiveChat, type ShownChat } from '../data/live-chat.ts';
import { keys, useChat, type Chat } from '../data/queries.ts';
import { Failure, Loading } from '../ui/states.tsx';

export function Page() {
  const id = useParam('chat');
  return <ChatPage key={id} id={id} />;
}

function ChatPage({ id }: { readonly id: string }) {
  const { data: chat, error, refetch } = useChat(id);
  const live = useLiveChat(id);
  useTitle(chat ? titleOf(chat) : '');
  if (error && !chat) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (live.error) return <Failure error={live.error} heading="h1" />;
  if (live.loading || !chat) return <Loading what="the chat" />;
  return <Conversation chat={chat} live={live} />;
}

function Conversation({ chat, live }: { readonly chat: Chat; readonly live: ShownChat }) {
  const cache = useQueryClient();
  const { view, connection, older, loadOlder } = live;
  const behind = useBehind(chat.id, connection, view.seq);
  const [policy, setPolicy] = useState<Policy>('enqueue');
  const [role, setRole] = useState('');
  const [model, setModel] = useState('');
  const { status, wish } = useStatus(chat, view);
  const open = status !== 'idle' && status !== 'stopped' && status !== 'error';
  const stop = () => wish('stop');
  useEscape(open && status !== 'stopping' ? stop : null);

  const send = async ({ content, files }: Draft) => {
    await client.chats.send(chat.id, {
      content,
      ...(files.length > 0 && { files: [...files] }),
      ...(open && { policy }),
      ...(role && { role }),
      ...(model && { model }),
    });
    void cache.invalidateQueries({ queryKey: keys.chat(chat.id) });
  };
  return (
    <>
      <StatusBar
        title={titleOf(chat)}
        status={status}
        connection={connection}
        behind={behind}
        view={view}
        usage={chat.usage}
        pause={() => wish('pause')}
        resume={() => wish('resume')}
      />
      <Transcript view={view} older={older} loadOlder={loadOlder}>
        {(status === 'running' || status === 'queued') && !isSpeaking(view) && <Waiting />}
      </Transcript>
      <div className="mx-auto w-full max-w-3xl px-4 pt-2 pb-4 sm:px-6">
        <Queue chat={chat} view={view} />
        <Composer
          place={chat.id}
          placeholder={open ? 'Add something…' : 'Reply…'}
          send={send}
          stop={open ? stop : undefined}
          stopping={status === 'stopping'}
        >
          <RolePicker value={role} choose={setRole} fallback={chat.role} />
          <ModelPicker value={model} choose={setModel} fallback={chat.model} />
          {open && <PolicyPicker value={policy} choose={setPolicy} />}
        </Composer>
      </div>
    </>
  );
}

function isSpeaking(view: ChatView): boolean {
  const item = view.turns.at(-1)?.items.at(-1);
  return item?.kind === 'answer'
    ? item.state === 'streaming'
    : item?.kind === 'call' && item.state !== 'ended';
}

/** Escape stops, unless something else was open to be closed with it. */
function useEscape(stop: (() => void) | null): void {
  useEffect(() => {
    if (!stop) return;
    const hear = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) stop();
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  });
}
