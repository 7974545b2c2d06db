// What a call of `write`, `edit` or `patch` does to a file, as a diff. Once the call has made a version, the diff is
// between the file's versions; before that, it is what the input says.

import type { CallItem } from '@continuo/protocol';
import { useQuery } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import { client } from '../data/client.ts';
import { textKey, type VersionText } from '../files/queries.ts';
import { DiffText } from '../ui/diff-text.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Value } from '../ui/value.tsx';

const MergeView = lazyPart(async () => (await import('../ui/merge-view.tsx')).default);

/** Longer texts are shown without a diff. */
const MAX_CHARACTERS = 200_000;

/** Whether the input of a call is better shown as a diff. */
export function changesFile({ tool, input }: Pick<CallItem, 'tool' | 'input'>): boolean {
  return diffOf(tool, input) !== null;
}

export function FileChange({ item }: { readonly item: CallItem }) {
  const [made, ...others] = item.files;
  const asked = <DiffText text={diffOf(item.tool, item.input) ?? ''} />;
  if (!made || others.length > 0 || made.removed === true || item.tool === 'patch') return asked;
  return <Versions path={made.path} file={made.file} version={made.v} fallback={asked} />;
}

interface VersionsProps {
  readonly path: string;
  readonly file: string;
  readonly version: number;
  readonly fallback: ReactNode;
}

/** A version beside the one before it. A version that is gone, or is not text, is shown as the call asked for it. */
function Versions({ path, file, version, fallback }: VersionsProps) {
  const { data: before } = useQuery(textQuery(path, file, version - 1));
  const { data: after } = useQuery(textQuery(path, file, version));
  if (!before || !after) return fallback;
  if (before.text.length + after.text.length > MAX_CHARACTERS) return <Value value={after.text} />;
  return (
    <Suspense fallback={fallback}>
      <MergeView before={before.text} after={after.text} />
    </Suspense>
  );
}

const textQuery = (path: string, file: string, version: number) => ({
  queryKey: textKey(file, version),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<VersionText> => ({
    version,
    text: version === 0 ? '' : await (await client.files.read(path, { version, signal })).text(),
  }),
});

/** A diff in the words of the input; null if the call is not one that changes a text. */
function diffOf(tool: string, input: unknown): string | null {
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  if (tool === 'patch') return typeof given.patch === 'string' ? given.patch : null;
  if (typeof given.path !== 'string') return null;
  if (tool === 'write') return typeof given.content === 'string' ? lines('+', given.content) : null;
  if (tool !== 'edit' || !Array.isArray(given.edits)) return null;
  return (given.edits as { old_text?: unknown; new_text?: unknown }[])
    .map(({ old_text, new_text }) => `@@\n${lines('-', String(old_text))}${lines('+', String(new_text))}`)
    .join('');
}

function lines(mark: '+' | '-', text: string): string {
  if (text === '') return '';
  return `${text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => mark + line)
    .join('\n')}\n`;
}
