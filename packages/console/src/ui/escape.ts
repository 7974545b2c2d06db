// Escape closes what was opened last. What is going on behind it is stopped only when nothing is open.

import { useEffect, useEffectEvent } from 'react';

const layers: (() => void)[] = [];

document.addEventListener('keydown', (event) => {
  // Menus and dialogs close themselves, and say so.
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
  const last = layers.at(-1);
  if (!last) return;
  event.preventDefault();
  last();
});

/** Null: there is nothing to do. What is `behind` comes after everything else. */
export function useEscape(act: (() => void) | null, { behind = false } = {}): void {
  const wanted = act !== null;
  const latest = useEffectEvent(() => act?.());
  useEffect(() => {
    if (!wanted) return;
    const layer = () => latest();
    if (behind) layers.unshift(layer);
    else layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [wanted, behind]);
}
