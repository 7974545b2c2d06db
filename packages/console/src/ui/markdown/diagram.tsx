// A Mermaid diagram, shown as an image: nothing in it can run, load or be clicked. What cannot be drawn is shown as text.

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { lazyModule, useModule } from '../use-module.ts';
import { CodeBlock, CodeFrame } from './code-block.tsx';
import type { Fence } from './fence.ts';

const renderer = lazyModule(() => import('beautiful-mermaid'));
type Renderer = NonNullable<ReturnType<typeof renderer.get>>;

const MAX_CHARACTERS = 10_000;
const LEAST_SCALE = 0.65;

export function Diagram(fence: Fence) {
  const { code, closed } = fence;
  const wanted = closed && code.length <= MAX_CHARACTERS;
  const module = useModule(renderer, wanted);
  const theme = useSyncExternalStore(onThemeChange, shownTheme);
  const drawn = useMemo(() => (module ? draw(module, code) : null), [module, code, theme]);
  const address = useAddress(drawn?.svg ?? null);
  const [asText, setAsText] = useState(false);
  const [broken, setBroken] = useState<string | null>(null);
  if (!drawn || drawn.problem !== null || broken === address)
    return (
      <>
        <CodeBlock {...fence} />
        {drawn && (
          <p className="!mt-1 text-xs text-soft wrap-anywhere">
            Shown as text: {drawn.problem ?? 'the diagram is not valid.'}
          </p>
        )}
      </>
    );
  const toggle = (
    <button
      type="button"
      aria-pressed={asText}
      onClick={() => setAsText(!asText)}
      className="rounded-md px-1.5 py-1 hover:bg-hover hover:text-ink"
    >
      Source
    </button>
  );
  return (
    <CodeFrame title="mermaid" code={code} beside={toggle}>
      {asText ? (
        <pre
          tabIndex={0}
          dir="ltr"
          className="overflow-x-auto px-3 py-2.5 font-mono text-[0.8125rem] leading-relaxed"
        >
          <code>{code}</code>
        </pre>
      ) : (
        <div tabIndex={0} role="group" aria-label="Diagram" className="max-h-[36rem] overflow-auto bg-page">
          {address !== null && (
            <img
              src={address}
              alt={`Diagram: ${code.trim().split('\n', 1)[0]}`}
              onError={() => setBroken(address)}
              style={{ width: fitted(drawn.svg) }}
              className="mx-auto max-w-none"
            />
          )}
        </div>
      )}
    </CodeFrame>
  );
}

type Drawn =
  | { readonly svg: string; readonly problem: null }
  | { readonly svg: null; readonly problem: string };

function draw({ renderMermaidSVG }: Renderer, code: string): Drawn {
  const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
  try {
    const svg = renderMermaidSVG(code.trim(), {
      bg: color('page'),
      fg: color('ink'),
      line: color('soft'),
      muted: color('soft'),
      surface: color('panel'),
      border: color('strong'),
      accent: color('accent'),
    });
    // An image loads nothing; the fonts of other servers are not even named.
    return { svg: svg.replaceAll(/@import [^;]+;/g, ''), problem: null };
  } catch (error) {
    return { svg: null, problem: problemOf((error as Error).message) };
  }
}

function problemOf(message: string): string {
  return message.startsWith('Invalid mermaid header')
    ? 'only flowcharts, sequences, states, classes, entities (ER) and XY charts are drawn.'
    : message;
}

/** As wide as there is room, but so that its texts can be read; then it scrolls. */
function fitted(svg: string): string | undefined {
  const width = Number(/<svg[^>]*? width="([\d.]+)"/.exec(svg)?.[1]);
  return width > 0 ? `clamp(${Math.round(width * LEAST_SCALE)}px, 100%, ${Math.ceil(width)}px)` : undefined;
}

/** The address of the image, in the memory of the page. */
function useAddress(svg: string | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (svg === null) return setAddress(null);
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return address;
}

const shownTheme = () => document.documentElement.dataset.theme ?? 'light';

function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
