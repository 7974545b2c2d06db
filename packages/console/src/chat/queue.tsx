// Messages that wait: for their turn, or for the next step of the run that they steer. The list comes from the server,
// so that it survives a reload and shows in every tab.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CornerDownRight, X, Zap } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { isOpen, type ChatView } from '@continuo/protocol';
import { useParam } from '../app/router.tsx';
import { client } from '../data/client.ts';
import { keys, type Chat } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { focusComposer } from './focus-composer.ts';

interface Waiting {
  readonly id: string;
  readonly run: string;
  readonly content: string;
  /** The message was given to the open run, which has not read it yet. */
  readonly steers: boolean;
}

const PAGE = 1000;

export function Queue({ chat, view }: { readonly chat: Chat; readonly view: ChatView }) {
  const some = chat.queued_runs + chat.waiting_steers > 0;
  const { data = [], refetch } = useQuery({
    queryKey: ['chat', chat.id, 'queue'],
    queryFn: () => queued(chat.id),
    enabled: some,
  });
  useEffect(() => {
    if (chat.queued_runs + chat.waiting_steers > 0) void refetch();
  }, [chat.queued_runs, chat.waiting_steers, refetch]);
  const waiting = data.flatMap((message) => asTheLogHasIt(message, view) ?? []);
  if (!some || waiting.length === 0) return null;
  const busy = view.turns.some(isOpen);
  return (
    <section aria-label="Waiting messages" className="mb-2 rounded-xl border border-dashed px-3 py-2">
      <h2 className="text-xs font-medium text-soft">
        {waiting.length === 1 ? '1 message waiting' : `${waiting.length} messages waiting`}
      </h2>
      <ul className="mt-1 space-y-1">
        {waiting.map((message) => (
          <Entry key={message.id} message={message} busy={busy} />
        ))}
      </ul>
    </section>
  );
}

/** The log may be ahead of the fetched list. Null: the message no longer waits. */
function asTheLogHasIt(message: Waiting, { turns, fold }: ChatView): Waiting | null {
  const turn = fold.turns.get(message.run);
  const steers = message.steers || turn?.canceled === 'steered';
  if (!steers) return turn ? null : message;
  const said = turns.some(({ items }) =>
    items.some((item) => item.kind === 'person' && item.id === message.id),
  );
  return said ? null : { ...message, steers };
}

function Entry({ message, busy }: { readonly message: Waiting; readonly busy: boolean }) {
  const cache = useQueryClient();
  const chat = useParam('chat');
  const [wished, setWished] = useState<'steer' | 'cancel' | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const entry = useRef<HTMLLIElement>(null);
  const act = async (wish: 'steer' | 'cancel') => {
    focusComposer(entry.current);
    setWished(wish);
    setProblem(null);
    try {
      await client.runs[wish](message.run);
      await cache.invalidateQueries({ queryKey: keys.chat(chat) });
    } catch (error) {
      setWished(null);
      setProblem((error as Error).message);
    }
  };
  if (wished === 'cancel') return null;
  return (
    <li ref={entry} className="flex min-h-7 flex-wrap items-center gap-x-2 text-sm">
      <CornerDownRight className="size-4 shrink-0 text-soft" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">{message.content}</span>
      {message.steers || wished === 'steer' ? (
        <span className="text-xs text-soft">Delivered at the next step</span>
      ) : (
        <>
          {busy && (
            <Button
              kind="quiet"
              className="!px-2 !py-0.5 !text-xs"
              title="The open run reads it at its next step"
              onClick={() => void act('steer')}
            >
              <Zap className="size-3.5" aria-hidden="true" /> Steer
            </Button>
          )}
          <IconButton label="Cancel message" className="!size-7" onClick={() => void act('cancel')}>
            <X />
          </IconButton>
        </>
      )}
      {problem && (
        <p role="alert" className="w-full pl-6 text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}

/** A retried run has no message of its own and is not listed. */
async function queued(chat: string): Promise<Waiting[]> {
  const { items } = await client.runs.list({ chat, status: 'queued', limit: PAGE });
  const runs = new Set(items.filter((run) => run.cancel_requested_at === null).map(({ id }) => id));
  const said: Waiting[] = [];
  for (let after: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof client.threads.messages>> = await client.threads.messages(chat, {
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const { id, role, run_id: run, content, waiting: steers = false } of page.items)
      if (steers || (role === 'user' && runs.has(run))) said.push({ id, run, content, steers });
    if (page.next === null) return said;
    after = page.next;
  }
}
