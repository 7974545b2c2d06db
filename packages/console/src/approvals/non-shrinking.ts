// An element that keeps its height when its content gets smaller, so that nothing below it moves under the pointer.

import { useLayoutEffect, useRef } from 'react';

/** Also passes the focus on when the card is unmounted. */
export function useNonShrinking() {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = card.current!;
    const keep = () => {
      element.style.minHeight = `${element.offsetHeight}px`;
    };
    const remeasure = () => {
      element.style.minHeight = '';
      keep();
    };
    const grown = new ResizeObserver(keep);
    grown.observe(element);
    window.addEventListener('resize', remeasure);
    return () => {
      grown.disconnect();
      window.removeEventListener('resize', remeasure);
      if (element.contains(document.activeElement))
        element.parentElement?.closest<HTMLElement>('[tabindex]')?.focus({ preventScroll: true });
    };
  }, []);
  return card;
}
