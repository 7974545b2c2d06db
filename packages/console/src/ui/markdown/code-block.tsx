// A block of code, in colours once their module is loaded.

import { memo, useDeferredValue, useMemo, type ReactNode } from 'react';
import { CopyButton } from '../copy-button.tsx';
import { DiffLines } from '../diff-text.tsx';
import { lazyModule, useModule } from '../use-module.ts';
import { stretchesOf, type Fence } from './fence.ts';

const colors = lazyModule(() => import('./colors.tsx'));

/** Longer code has no colours; code that still grows is colored again with every change, so less of it is. */
const MAX_CHARACTERS = 100_000;
const MAX_GROWING = 10_000;

export function CodeBlock({ language, code, closed }: Fence) {
  const diff = language === 'diff';
  return (
    <CodeFrame title={language ?? 'text'} code={code}>
      <pre
        tabIndex={0}
        dir="ltr"
        className={`overflow-x-auto py-2.5 font-mono text-[0.8125rem] leading-relaxed ${diff ? '' : 'px-3'}`}
      >
        {diff ? (
          <DiffLines text={code} />
        ) : (
          <code>
            <Code language={language} code={code} closed={closed} />
          </code>
        )}
      </pre>
    </CodeFrame>
  );
}

interface CodeFrameProps {
  readonly title: string;
  readonly code: string;
  /** Beside the button that copies. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

export function CodeFrame({ title, code, beside, children }: CodeFrameProps) {
  return (
    <div className="overflow-hidden rounded-lg border bg-sunken">
      <div className="flex items-center border-b py-0.5 pr-1 pl-3 text-xs text-soft">
        <span className="mr-auto">{title}</span>
        {beside}
        <CopyButton text={code} what="the code" />
      </div>
      {children}
    </div>
  );
}

function Code({ language, code, closed }: Fence) {
  const wanted = language !== undefined && code.length <= (closed ? MAX_CHARACTERS : MAX_GROWING);
  const module = useModule(colors, wanted);
  const settled = useDeferredValue(code);
  const inColors = useMemo(
    () => (module && language !== undefined ? module.colored(language.toLowerCase(), settled) : null),
    [module, language, settled],
  );
  if (inColors !== null && code.startsWith(settled))
    return (
      <>
        {inColors}
        {code.slice(settled.length)}
      </>
    );
  return stretchesOf(code).map((stretch, index) => <Stretch key={index} text={stretch} />);
}

const Stretch = memo(function Stretch({ text }: { readonly text: string }) {
  return <span className="block">{text}</span>;
});
