// A Markdown file as it reads, with its front matter as it is written.

import { Markdown } from '../ui/markdown/markdown.tsx';

export default function Preview({ text }: { readonly text: string }) {
  const [, head, body] = /^---\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n([^]*))?$/.exec(text) ?? ['', null, text];
  return (
    <div className="h-full overflow-y-auto" tabIndex={0} data-quiet-focus role="region" aria-label="Preview">
      <div className="mx-auto max-w-3xl px-5 py-6">
        {head && (
          <pre
            className="mb-5 overflow-x-auto rounded-lg border bg-panel px-3 py-2 font-mono text-xs text-soft"
            tabIndex={0}
            role="region"
            aria-label="Front matter"
          >
            {head}
          </pre>
        )}
        {body?.trim() ? <Markdown text={body} /> : <p className="text-sm text-soft">There is no text yet.</p>}
      </div>
    </div>
  );
}
