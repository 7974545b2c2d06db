// A chat: its transcript and its composer.

import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { ApiError } from '@continuo/client';
import { isOpen, type ChatView } from '@continuo/protocol';
import { titleOf } from '../app/chat-entry.tsx';
import { useParam } from '../app/router.tsx';
import { useTitle } from '../app/title.ts';
import { InOtherWorkspace } from '../app/workspace-picker.tsx';
import { ContextBar } from '../chat/context-bar.tsx';
import { PanelButton, usePanel, WithPanel } from '../chat/panel.tsx';
import { ShareMenu } from '../chat/share-menu.tsx';
import { StatusBar } from '../chat/status-bar.tsx';
import { Digest } from '../chat/digest.tsx';
import { useLag } from '../chat/lag.ts';
import { Composer } from '../chat/composer.tsx';
import { useDraft, type Sending } from '../chat/message-draft.ts';
import { ModelPicker, PolicyPicker, RolePicker } from '../chat/pickers.tsx';
import { Queue } from '../chat/queue.tsx';
import { ignoreKeyReuse } from '../chat/send-errors.ts';
import { useStatus } from '../chat/use-status.ts';
import { Transcript } from '../chat/transcript.tsx';
import { Waiting } from '../chat/answer.tsx';
import { client } from '../data/client.ts';
import { useLiveChat, type ShownChat } from '../data/live-chat.ts';
import { keys, useChat, type Chat } from '../data/queries.ts';
import { useEscape } from '../ui/escape.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Empty, Failure, isMissing, Loading } from '../ui/states.tsx';

const MemoryPanel = lazyPart(async () => (await import('../memory/memory-panel.tsx')).MemoryPanel);

export function Page() {
  const id = useParam('chat');
  return <ChatPage key={id} id={id} />;
}

function ChatPage({ id }: { readonly id: string }) {
  const { data: chat, error, refetch } = useChat(id);
  const live = useLiveChat(id);
  useTitle(chat ? titleOf(chat) : '');
  if (isRemoved(error)) return <Removed />;
  if (isMissing(error)) return <InOtherWorkspace chat={id} what="chat" />;
  if (error && !chat) return <Failure error={error} retry={() => void refetch()} heading="h1" />;
  if (live.error) return <Failure error={live.error} heading="h1" />;
  if (live.loading || !chat) return <Loading what="the chat" />;
  return <OpenChat chat={chat} live={live} />;
}

function OpenChat({ chat, live }: { readonly chat: Chat; readonly live: ShownChat }) {
  const cache = useQueryClient();
  const { view, connection, older, loadOlder } = live;
  const lag = useLag(chat.id, connection, view.seq);
  const draftHandle = useDraft(chat.id);
  const { draft, change } = draftHandle;
  const { status, problem, command } = useStatus(chat, view);
  const open = status !== 'idle' && status !== 'stopped' && status !== 'error';
  const stop = () => command('stop');
  useEscape(open && status !== 'stopping' ? stop : null, { last: true });

  const send = async ({ content, files, role, model, policy, key }: Sending) => {
    const message = {
      content,
      ...(files.length > 0 && { files: [...files] }),
      ...(open && { policy }),
      ...(role && { role }),
      ...(model && { model }),
    };
    await ignoreKeyReuse(client.chats.send(chat.id, message, { idempotencyKey: key }));
    void cache.invalidateQueries({ queryKey: keys.chat(chat.id) });
  };
  const panel = usePanel();
  return (
    <WithPanel panel={panel} content={<MemoryPanel chat={chat.id} view={view} />}>
      <StatusBar
        chat={chat}
        title={titleOf(chat)}
        status={status}
        problem={problem}
        connection={connection}
        lag={lag}
        view={view}
        pause={() => command('pause')}
        resume={() => command('resume')}
      >
        <ShareMenu chat={chat.id} />
        <PanelButton panel={panel} />
      </StatusBar>
      <Digest chat={chat} seq={view.seq} />
      <Transcript view={view} older={older} loadOlder={loadOlder} moment={useMoment()}>
        {(status === 'running' || status === 'queued') && !isSpeaking(view) && <Waiting />}
      </Transcript>
      <div className="mx-auto w-full max-w-3xl px-4 pt-2 pb-4 sm:px-6">
        <Queue chat={chat} view={view} />
        <Composer
          draft={draftHandle}
          placeholder={open ? 'Add something…' : 'Reply…'}
          send={send}
          stop={open ? stop : undefined}
          stopping={status === 'stopping'}
          context={<ContextBar chat={chat.id} seq={view.usageSeq} />}
        >
          <RolePicker value={draft.role} choose={(role) => change({ role })} fallback={chat.role} />
          <ModelPicker value={draft.model} choose={(model) => change({ model })} fallback={chat.model} />
          {open && <PolicyPicker value={draft.policy} choose={(policy) => change({ policy })} />}
        </Composer>
      </div>
    </WithPanel>
  );
}

/** The event that the address names, as `?at=<seq>`. */
function useMoment() {
  const at = useRouterState({ select: ({ location }) => (location.search as { at?: unknown }).at as number });
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' });
  return Number.isSafeInteger(at) && at > 0 ? { seq: at, visit } : null;
}

function isRemoved(error: Error | null): boolean {
  return error instanceof ApiError && error.code === 'chat_removed';
}

function Removed() {
  return (
    <Empty icon={Trash2} title="This chat was removed" heading="h1">
      You can restore it for 7 days from{' '}
      <Link to="/archived" className="text-accent underline">
        Archived and removed
      </Link>
      .
    </Empty>
  );
}

function isSpeaking(view: ChatView): boolean {
  const item = view.turns.findLast(isOpen)?.items.at(-1);
  switch (item?.kind) {
    case 'answer':
      return item.state === 'streaming';
    case 'call':
      return item.state !== 'ended';
    // Other runs work, or the plan waits for its approval.
    case 'child':
    case 'plan':
    case 'verdict':
      return true;
    case 'person':
    case undefined:
      return false;
  }
}
