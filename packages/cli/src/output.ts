// How results are shown: tables and sentences for people, JSON for programs. What models, tools and files say goes
// through `safe`: nothing of it can steer the terminal.

import colors from 'picocolors';

export const { bold, cyan, dim, green, red, yellow } = colors;

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** For what is not the result: progress, how to go on. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Control characters shown as what they are, but for line ends and tabs. */
export function safe(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (character) =>
    character === '\r'
      ? ''
      : character < ' '
        ? String.fromCharCode(character.charCodeAt(0) + 0x2400)
        : '\ufffd',
  );
}

/** One line, cut where it gets long. */
export function short(value: unknown, most = 160): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = safe(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Columns by the longest of their cells; the last one may be of any length. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [dim(line(headings)), ...rows.map(line)].join('\n');
}

export function time(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export interface Progress {
  step(done: number, of: number | null, what: string): void;
  end(): void;
}

const BAR = 24;

/** On stderr: a bar that moves at a terminal, else a line for each step; nothing beside JSON. */
export function progress(json: boolean): Progress {
  if (json) return { step: () => undefined, end: () => undefined };
  if (!process.stderr.isTTY) {
    return {
      step: (done, of, what) => note(`${of === null ? done : `${done}/${of}`} ${what}`),
      end: () => undefined,
    };
  }
  return {
    step: (done, of, what) => {
      const full = of === null || of === 0 ? 0 : Math.round((done / of) * BAR);
      const bar = of === null ? `${done}` : `${'█'.repeat(full)}${dim('░'.repeat(BAR - full))} ${done}/${of}`;
      process.stderr.write(
        `\r\u001B[2K${bar} ${short(what, Math.max(10, (process.stderr.columns ?? 80) - 45))}`,
      );
    },
    end: () => process.stderr.write('\r\u001B[2K'),
  };
}
