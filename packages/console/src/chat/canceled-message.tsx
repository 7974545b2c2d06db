// A message whose run was canceled before it started. Its text is not in the log, so it is fetched with the run.

import { useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import type { ChatView, Turn } from '@continuo/protocol';
import { client } from '../data/client.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { kerning } from '../ui/kerning.ts';
import { Retry } from './retry.tsx';

const WHY: Record<string, string> = {
  interrupted: 'Canceled: a later message took its place',
  rolled_back: 'Canceled: a later message took its place',
};

export function CanceledMessage({ turn, view }: { readonly turn: Turn; readonly view: ChatView }) {
  const { data: run } = useQuery({
    queryKey: ['said', turn.run],
    queryFn: ({ signal }) => client.runs.get(turn.run, { signal }),
  });
  const again = run !== undefined && view.fold.said.has(run.message_id);
  return (
    <article aria-label="You" className="flex flex-col items-end pt-2">
      <div
        className={`max-w-[85%] rounded-2xl rounded-br-md border border-dashed px-4 py-2.5 break-words whitespace-pre-wrap text-soft ${kerning(run?.said ?? '')}`}
      >
        {run?.said ?? '…'}
      </div>
      <div className="mt-1 flex min-h-7 flex-wrap items-center justify-end gap-x-1 text-xs text-soft">
        <CircleSlash className="size-3.5" aria-hidden="true" />
        <span className="mr-1">
          {again ? 'Sent again below' : (WHY[turn.canceled ?? ''] ?? 'Canceled before it started')}
        </span>
        {run && <CopyButton text={run.said} what="the message" />}
        {!again && <Retry run={turn.run} />}
      </div>
    </article>
  );
}
