// The input or output of a tool: text as it is, a diff in colours, anything else as JSON.

import { DiffText, isDiff } from './diff-text.tsx';
import { Visible } from './visible.tsx';

export function Value({ value }: { readonly value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  if (isDiff(text)) return <DiffText text={text} />;
  return (
    <pre
      tabIndex={0}
      className="max-h-80 overflow-auto rounded-lg border bg-sunken px-3 py-2 font-mono text-[0.8125rem] leading-relaxed break-words whitespace-pre-wrap"
    >
      <Visible text={text} />
    </pre>
  );
}
