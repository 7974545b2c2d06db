// The output of a command, as a terminal shows it. It shows the end, unless the person scrolls up.

import { ArrowDownToLine } from 'lucide-react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { keep } from '../../files/download.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { bytes } from '../../ui/format.tsx';
import { styledText, unstyled } from '../../ui/terminal-colors.ts';
import { Visible } from '../../ui/visible.tsx';

/** How much of the output is shown first, and at most; all that is kept can be downloaded. */
const SHOWN = 16_384;
const SHOWN_AT_MOST = 262_144;
/** How near to the end still counts as at the end. */
const NEAR_PX = 24;

interface TerminalProps {
  readonly command: string;
  /** Null: not read yet. */
  readonly output: string | null;
  readonly outputBytes: number;
  readonly running: boolean;
  /** What is said instead of an output that is empty. */
  readonly empty: string;
}

export function Terminal({ command, output, outputBytes, running, empty }: TerminalProps) {
  const [most, setMost] = useState(SHOWN);
  const place = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const text = output ?? '';
  const shown = text.length > most ? endOf(text, most) : text;
  useLayoutEffect(() => {
    const element = place.current;
    if (element && follows.current) element.scrollTop = element.scrollHeight;
  }, [shown]);
  const isCut = shown.length < text.length;
  return (
    <div className="bg-terminal text-terminal-ink">
      <pre
        ref={place}
        tabIndex={0}
        role="region"
        aria-label="Output"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
        }}
        className="max-h-80 overflow-auto px-3 py-2.5 font-mono text-[0.8125rem] leading-relaxed wrap-anywhere whitespace-pre-wrap focus-visible:outline-offset-[-2px]"
      >
        <span className="text-terminal-prompt select-none" aria-hidden="true">
          ${' '}
        </span>
        <span className="font-semibold">
          <Visible text={command} />
        </span>
        {'\n'}
        {isCut && (
          <span className="text-terminal-soft">
            [{bytes(text.length - shown.length)} before this]{'\n'}
          </span>
        )}
        {text === '' ? <span className="text-terminal-soft">{empty}</span> : <Colored text={shown} />}
        {running && (
          <span
            className="ml-0.5 inline-block h-[1.1em] w-[0.55em] animate-pulse bg-terminal-ink align-text-bottom"
            aria-hidden="true"
          />
        )}
      </pre>
      {!running && text !== '' && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t bg-raised px-3 py-1 text-xs text-soft">
          <span className="mr-auto">{bytes(outputBytes)} of output</span>
          {isCut && most < SHOWN_AT_MOST && (
            <button type="button" className="underline hover:text-ink" onClick={() => setMost(SHOWN_AT_MOST)}>
              {text.length <= SHOWN_AT_MOST ? 'Show all' : 'Show more'}
            </button>
          )}
          <button
            type="button"
            className="inline-flex items-center gap-1 underline hover:text-ink"
            onClick={() => keep(new Blob([unstyled(text)], { type: 'text/plain' }), 'output.txt')}
          >
            <ArrowDownToLine className="size-3.5" aria-hidden="true" /> Download
          </button>
          <CopyButton text={unstyled(text)} what="output" />
        </div>
      )}
    </div>
  );
}

const Colored = memo(function Colored({ text }: { readonly text: string }) {
  return styledText(text).map(({ text: piece, style }, index) => (
    <span key={index} style={style}>
      <Visible text={piece} />
    </span>
  ));
});

/** The end of a text, from the beginning of a line where there is one. */
function endOf(text: string, characters: number): string {
  const end = text.slice(-characters);
  return end.slice(end.indexOf('\n') + 1);
}
