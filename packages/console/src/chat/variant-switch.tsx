// ‹1/2›: the variants of a message that was edited or answered again.

import type { Turn } from '@continuo/protocol';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useEffectEvent, useRef } from 'react';
import { IconButton } from '../ui/button.tsx';
import { useTranscriptActions } from './transcript-actions.ts';

const STYLE = '!size-7 [&>svg]:!size-3.5';

export function VariantSwitch({ turn }: { readonly turn: Turn }) {
  const { placeOf, choose, movedTo } = useTranscriptActions();
  const place = placeOf(turn);
  const box = useRef<HTMLSpanElement>(null);
  const takeFocus = useEffectEvent(() => {
    const way = place && movedTo(place);
    if (way) box.current?.querySelectorAll('button')[way === 'earlier' ? 0 : 1]?.focus();
  });
  useEffect(() => takeFocus(), [place?.fork, place?.index]);
  if (!place) return null;
  const { index, count } = place;
  return (
    <span ref={box} role="group" aria-label="Variants of this message" className="flex items-center">
      <IconButton
        label="Earlier variant"
        className={STYLE}
        disabled={index === 0}
        onClick={() => choose(place, 'earlier')}
      >
        <ChevronLeft />
      </IconButton>
      <span className="tabular-nums">
        {index + 1}/{count}
      </span>
      <IconButton
        label="Later variant"
        className={STYLE}
        disabled={index === count - 1}
        onClick={() => choose(place, 'later')}
      >
        <ChevronRight />
      </IconButton>
    </span>
  );
}
