// Formats times and amounts.

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const count = new Intl.NumberFormat();

/** The time for today, the date for other days. */
export function When({ at, className }: { readonly at: string; readonly className?: string }) {
  const date = new Date(at);
  const today = new Date().toDateString() === date.toDateString();
  return (
    <time dateTime={at} title={full.format(date)} className={className}>
      {today ? clock.format(date) : day.format(date)}
    </time>
  );
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
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
