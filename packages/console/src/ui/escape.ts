// Escape closes the layer that was opened last. Only if no layer is open, it stops the open run.

import { useEffect, useEffectEvent } from 'react';

const layers: (() => void)[] = [];

document.addEventListener('keydown', (event) => {
  // Menus and dialogs handle Escape themselves and prevent the default.
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
  const top = layers.at(-1);
  if (!top) return;
  event.preventDefault();
  top();
});

/** Null: no handler. A handler with `last` runs only if there is no other. */
export function useEscape(act: (() => void) | null, { last = false } = {}): void {
  const wanted = act !== null;
  const latest = useEffectEvent(() => act?.());
  useEffect(() => {
    if (!wanted) return;
    const layer = () => latest();
    if (last) layers.unshift(layer);
    else layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [wanted, last]);
}
