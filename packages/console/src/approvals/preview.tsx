// What a call would do: a diff if it changes a text file, otherwise its input. The preview stays as first shown until
// the person refreshes it, because a preview that grows would move what is below it.

import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { keys } from '../data/queries.ts';
import { DiffText } from '../ui/diff-text.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Value } from '../ui/value.tsx';
import { Visible } from '../ui/visible.tsx';

const MergeView = lazyPart(async () => (await import('../ui/merge-view.tsx')).default);

/** Longer texts are shown as plain input, without a diff. */
const MAX_CHARACTERS = 200_000;

interface PreviewProps {
  readonly tool: string;
  readonly input: unknown;
  readonly decided: boolean;
}

export function Preview({ tool, input, decided }: PreviewProps) {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  if (tool === 'patch' && typeof given.patch === 'string') return <DiffText text={given.patch} />;
  if (typeof given.path === 'string' && (tool === 'write' || tool === 'edit'))
    return <Change path={given.path} tool={tool} input={given} decided={decided} />;
  return <Value value={input} />;
}

function Change({
  path,
  tool,
  input,
  decided,
}: {
  readonly path: string;
  readonly tool: 'write' | 'edit';
  readonly input: Record<string, unknown>;
  readonly decided: boolean;
}) {
  const { data: now, isFetching } = useQuery({
    queryKey: [...keys.files, 'text', path],
    queryFn: () => textOf(path),
  });
  const [before, setBefore] = useState<string | null>();
  if (before === undefined && now !== undefined && !isFetching) setBefore(now);
  if (before === undefined) return <Value value={input} />;
  const after = tool === 'write' ? String(input.content) : edited(before ?? '', input.edits);
  if (after === null || after.length > MAX_CHARACTERS || (before ?? '').length > MAX_CHARACTERS)
    return <Value value={input} />;
  return (
    <>
      <p className="mb-1 font-mono text-xs wrap-anywhere text-soft">
        <Visible text={path} />
        {before === null && ' (new)'}
        {now !== before && !decided && (
          <>
            {' '}
            has changed since.{' '}
            <button type="button" className="text-ink underline" onClick={() => setBefore(now)}>
              Compare again
            </button>
          </>
        )}
      </p>
      <Suspense fallback={<Value value={input} />}>
        <MergeView before={before ?? ''} after={after} />
      </Suspense>
    </>
  );
}

/** Null if the file does not exist. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await (await client.files.read(path.startsWith('/') ? path : `/${path}`)).text();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Null if the edits do not apply to the current text. */
function edited(text: string, edits: unknown): string | null {
  if (!Array.isArray(edits)) return null;
  let now = text;
  for (const edit of edits as { old_text?: unknown; new_text?: unknown; replace_all?: unknown }[]) {
    const { old_text: old, new_text: fresh } = edit;
    if (typeof old !== 'string' || typeof fresh !== 'string' || !now.includes(old)) return null;
    now = edit.replace_all === true ? now.replaceAll(old, () => fresh) : now.replace(old, () => fresh);
  }
  return now;
}
