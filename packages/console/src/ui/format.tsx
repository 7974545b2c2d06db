// Formats times and amounts.

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const count = new Intl.NumberFormat();

/** The time for today, the date for other days, with the year unless it is this one. */
export function When({ at, className }: { readonly at: string; readonly className?: string }) {
  return (
    <time dateTime={at} title={full.format(new Date(at))} className={className}>
      {dayOrTime(at)}
    </time>
  );
}

/** The time of a moment today, the day of any other, with its year unless it is this one. */
export function dayOrTime(at: string): string {
  const date = new Date(at);
  const now = new Date();
  if (now.toDateString() === date.toDateString()) return clock.format(date);
  return (now.getFullYear() === date.getFullYear() ? day : dayOfYear).format(date);
}

const toTheSecond = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** A time of the next minutes, to the second. */
export function Clock({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={full.format(new Date(at))}>
      {toTheSecond.format(new Date(at))}
    </time>
  );
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function between(from: string | null, to: string | null): string | null {
  return from === null || to === null ? null : duration(Date.parse(to) - Date.parse(from));
}

export function number(value: number): string {
  return count.format(value);
}

export function money(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function bytes(amount: number): string {
  let unit = 0;
  let shown = amount;
  while (shown >= 1000 && unit < UNITS.length - 1) {
    shown /= 1000;
    unit += 1;
  }
  return `${unit === 0 || shown >= 100 ? Math.round(shown) : shown.toFixed(1)} ${UNITS[unit]}`;
}
