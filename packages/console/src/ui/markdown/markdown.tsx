// Renders Markdown. Nothing in it runs or loads from elsewhere: no HTML, and images of other servers become links.

import { CatchBoundary } from '@tanstack/react-router';
import { memo, useId, useRef, type ComponentProps, type ReactElement } from 'react';
import ReactMarkdown, { defaultUrlTransform, type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { kerning } from '../kerning.ts';
import { blocksOf, type Blocks } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { Diagram } from './diagram.tsx';
import { fenceOf, type Fence } from './fence.ts';
import { FormulaView } from './formula.tsx';
import { formulaOf, withFormulas } from './formulas.ts';
import { isEntity, MarkdownLink } from './link.tsx';

const PLUGINS = [remarkGfm];

/** Removes links that could run a script. */
const safeUrl = (url: string) => (isEntity(url) ? url : defaultUrlTransform(url));

const COMPONENTS: Components = {
  pre: ({ children }) => {
    const { className, children: code } = (children as ReactElement<ComponentProps<'code'>>).props;
    const language = /language-([\w+#.-]+)/.exec(className ?? '')?.[1];
    return <FenceView language={language} code={typeof code === 'string' ? code : ''} closed />;
  },
  code: ({ children }) => {
    const formula = typeof children === 'string' ? formulaOf(children) : null;
    return formula ? <FormulaView {...formula} /> : <code>{children}</code>;
  },
  a: ({ node: _node, ...rest }) => <MarkdownLink {...rest} />,
  img: ({ src, alt }) => (
    <MarkdownLink href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</MarkdownLink>
  ),
  // Wide tables scroll.
  table: ({ node: _node, ...rest }) => (
    <div tabIndex={0} role="group" aria-label="Table" className="overflow-x-auto">
      <table {...rest} />
    </div>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked} readOnly aria-label="Task" disabled />,
};

export function Markdown({ text }: { readonly text: string }) {
  const known = useRef<Blocks | null>(null);
  known.current = blocksOf(withFormulas(text), known.current);
  // Two texts on a page may have footnotes of the same name.
  const prefix = useId();
  return (
    <div className="prose">
      {known.current.blocks.map((block, index) => (
        <Block key={index} text={block} prefix={prefix} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ text, prefix }: { readonly text: string; readonly prefix: string }) {
  const fence = fenceOf(text);
  if (fence)
    return (
      <section dir="ltr" className={kerning(text) || undefined}>
        <FenceView {...fence} />
      </section>
    );
  const plain = (
    <p dir="auto" className={`whitespace-pre-wrap wrap-anywhere ${kerning(text)}`}>
      {text}
    </p>
  );
  if (isKnotted(text)) return plain;
  return (
    <section dir="auto" className={kerning(text) || undefined}>
      <CatchBoundary getResetKey={() => text} errorComponent={() => plain}>
        <ReactMarkdown
          remarkPlugins={PLUGINS}
          remarkRehypeOptions={{ clobberPrefix: prefix }}
          urlTransform={safeUrl}
          components={COMPONENTS}
        >
          {text}
        </ReactMarkdown>
      </CatchBoundary>
    </section>
  );
});

/** Nesting that would take seconds to parse, or overflow the stack. */
const KNOTTED = [/^(?:[ \t]*>){50}/m, /^[ \t]{100}[ \t]*(?:[-*+]|\d{1,9}[.)])\s/m, /^(?:[-*+] ){50}/m];
const MAX_BRACKETS = 1000;

function isKnotted(text: string): boolean {
  return KNOTTED.some((knot) => knot.test(text)) || text.split('[', MAX_BRACKETS + 2).length > MAX_BRACKETS;
}

function FenceView(fence: Fence) {
  return fence.language === 'mermaid' ? <Diagram {...fence} /> : <CodeBlock {...fence} />;
}
