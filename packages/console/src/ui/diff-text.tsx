// A unified diff, in colours.

import { Visible } from './visible.tsx';

const STYLE: Record<string, string> = {
  '+': 'bg-good-wash text-good',
  '-': 'bg-bad-wash text-bad',
  '@': 'text-soft',
};

export function isDiff(text: string): boolean {
  return /^--- .*\n\+\+\+ .*\n@@ /m.test(text);
}

export function DiffText({ text }: { readonly text: string }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Difference"
      className="max-h-96 overflow-auto rounded-lg border bg-sunken py-2 font-mono text-[0.8125rem] leading-relaxed"
    >
      <DiffLines text={text} />
    </pre>
  );
}

export function DiffLines({ text }: { readonly text: string }) {
  return text
    .trimEnd()
    .split('\n')
    .map((line, index) => {
      const head = /^(---|\+\+\+) /.test(line);
      return (
        <div key={index} className={`min-w-fit px-3 ${head ? 'text-soft' : (STYLE[line[0] ?? ''] ?? '')}`}>
          <Visible text={line || ' '} />
        </div>
      );
    });
}
