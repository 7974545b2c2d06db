// Quantiles, and how numbers are shown.

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which the share `q` lies; NaN of nothing, which no target is met by. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const place = q * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place - Math.floor(place));
}

export function digits(value: number, unit = ''): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  const shown = size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
  return unit === '' ? shown : `${shown} ${unit}`;
}

export function ratio(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(2)}×` : '–';
}

export function bytes(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1024 * 1024) return `${(value / 1024 / 1024).toFixed(1)} MiB`;
  return `${(value / 1024).toFixed(1)} KiB`;
}
