// A snippet in which the words that were looked for are marked.

import type { ReactNode } from 'react';
import { Visible } from './visible.tsx';

/** Marks words that begin like those of the question. */
export function marked(snippet: string, question: string): ReactNode[] {
  const wanted = question.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  if (wanted.length === 0) return [<Visible key={0} text={snippet} />];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${wanted.join('|')})[\\p{L}\\p{N}]*)`, 'giu');
  return snippet.split(pattern).map((part, index) =>
    index % 2 === 1 ? (
      <mark key={index} className="rounded-sm bg-accent-wash text-ink">
        {part}
      </mark>
    ) : (
      <Visible key={index} text={part} />
    ),
  );
}
