// The current time, for figures that grow.

import { useEffect, useState } from 'react';

const CLOCK_MS = 1000;

/** Updated while `goes` is true. */
export function useClock(goes: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!goes) return;
    const clock = setInterval(() => setNow(Date.now()), CLOCK_MS);
    return () => clearInterval(clock);
  }, [goes]);
  return now;
}
