// A formula, typeset by KaTeX. Nothing in it runs or loads: its commands for links, images and HTML are off.

import { useLayoutEffect, useMemo, useRef } from 'react';
import { lazyModule, useModule } from '../use-module.ts';
import type { Formula } from './formulas.ts';

const katex = lazyModule(async () => {
  const [{ default: module }] = await Promise.all([import('katex'), import('katex/dist/katex.min.css')]);
  return module;
});

/** Limits of what a formula may expand to, and of its sizes in em. */
const MAX_EXPAND = 1000;
const MAX_SIZE = 20;

export function FormulaView({ tex, display }: Formula) {
  const module = useModule(katex);
  const place = useRef<HTMLSpanElement>(null);
  const { typeset, problem } = useMemo(() => {
    if (!module) return { typeset: null, problem: null };
    const made = document.createElement('span');
    try {
      module.render(tex, made, {
        displayMode: display,
        maxExpand: MAX_EXPAND,
        maxSize: MAX_SIZE,
        strict: 'ignore',
        trust: false,
        errorColor: 'var(--bad)',
      });
      return { typeset: made, problem: null };
    } catch (error) {
      return { typeset: null, problem: (error as Error).message };
    }
  }, [module, tex, display]);
  useLayoutEffect(() => {
    if (typeset) place.current?.replaceChildren(typeset);
  }, [typeset]);
  if (!typeset) return <code title={problem ?? undefined}>{tex}</code>;
  return (
    <span
      ref={place}
      dir="ltr"
      className={display ? 'block overflow-x-auto overflow-y-hidden py-1' : undefined}
      {...(display && { tabIndex: 0, role: 'group', 'aria-label': 'Formula' })}
    />
  );
}
