// Messages that wait for their turn: what this tab sent, and, after a reload or in another tab, what the server has queued.

import { useQuery } from '@tanstack/react-query';
import { CornerDownRight, X, Zap } from 'lucide-react';
import { useEffect, useState } from 'react';
import { isOpen, type ChatView } from '@continuo/protocol';
import { client } from '../data/client.ts';
import type { Chat } from '../data/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';

interface Waiting {
  readonly run: string;
  readonly content: string;
}

const PAGE = 1000;

export function Queue({ chat, view }: { readonly chat: Chat; readonly view: ChatView }) {
  const begun = (run: string) => view.fold.turns.has(run);
  const { data = [], refetch } = useQuery({
    queryKey: ['chat', chat.id, 'queue'],
    queryFn: () => queued(chat.id),
    enabled: chat.queued_runs > 0,
  });
  useEffect(() => {
    if (chat.queued_runs > 0) void refetch();
  }, [chat.queued_runs, refetch]);
  const waiting = data.filter(({ run }) => !begun(run));
  if (chat.queued_runs === 0 || waiting.length === 0) return null;
  const busy = view.turns.some(isOpen);
  return (
    <section aria-label="Waiting messages" className="mb-2 rounded-xl border border-dashed px-3 py-2">
      <h2 className="text-xs font-medium text-soft">
        {waiting.length === 1 ? 'A message waits its turn' : `${waiting.length} messages wait their turn`}
      </h2>
      <ul className="mt-1 space-y-1">
        {waiting.map((message) => (
          <Entry key={message.run} message={message} busy={busy} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ message, busy }: { readonly message: Waiting; readonly busy: boolean }) {
  const [gone, setGone] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const act = async (doing: Promise<unknown>) => {
    setGone(true);
    setProblem(null);
    await doing.catch((error: Error) => {
      setGone(false);
      setProblem(error.message);
    });
  };
  if (gone) return null;
  return (
    <li className="flex flex-wrap items-center gap-x-2 text-sm">
      <CornerDownRight className="size-4 shrink-0 text-soft" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">{message.content}</span>
      {busy && (
        <Button
          kind="quiet"
          className="!px-2 !py-0.5 !text-xs"
          title="The run that is at work takes it in at its next step"
          onClick={() => void act(client.runs.steer(message.run))}
        >
          <Zap className="size-3.5" aria-hidden="true" /> Steer
        </Button>
      )}
      <IconButton
        label="Take it back"
        className="!size-7"
        onClick={() => void act(client.runs.cancel(message.run))}
      >
        <X />
      </IconButton>
      {problem && (
        <p role="alert" className="w-full pl-6 text-bad">
          {problem}
        </p>
      )}
    </li>
  );
}

/** A run that tries again has no message of its own: it is not told here. */
async function queued(chat: string): Promise<Waiting[]> {
  const { items } = await client.runs.list({ chat, status: 'queued', limit: PAGE });
  const runs = new Set(items.filter((run) => run.cancel_requested_at === null).map(({ id }) => id));
  const said: Waiting[] = [];
  for (let after: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof client.threads.messages>> = await client.threads.messages(chat, {
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const { role, run_id: run, content } of page.items)
      if (role === 'user' && runs.has(run)) said.push({ run, content });
    if (page.next === null) return said;
    after = page.next;
  }
}
