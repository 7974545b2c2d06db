// Prints results: tables and sentences for people, JSON for programs. Text from models, tools and files goes through
// `safe`, so that it cannot control the terminal or disguise itself.

import { stripVTControlCharacters } from 'node:util';
import colors from 'picocolors';

export const { bold, cyan, dim, green, red, yellow } = colors;

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${safe(JSON.stringify(value))}\n`);
}

/** For everything but the result: progress and hints. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Escapes hidden characters as JSON does: `\u202e`. */
export function safe(text: string): string {
  hidden ??= hiddenPattern();
  return text.replaceAll(/\r\n/g, '\n').replaceAll(hidden, escaped);
}

/** Created on first use: its tables are large, and `--help` does not need it. */
let hidden: RegExp | undefined;

/** Scripts that use joiners. */
const JOINING =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan';

/**
 * Invisible characters and bidirectional controls, except line ends, tabs, and joiners and variation selectors in emoji
 * and in scripts that use joiners. A chunk of a stream may begin with one.
 */
function hiddenPattern(): RegExp {
  const joining = JOINING.replaceAll(/(\w+) ?/g, String.raw`\p{Script=$1}`);
  const emoji = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F`;
  const parts = [
    String.raw`\r(?!\n)`,
    String.raw`[^\P{Cc}\r\n\t]`,
    String.raw`[\p{Cs}\p{Zl}\p{Zp}\u2800]`,
    String.raw`(?![\u200C\u200D\uFE0E\uFE0F])[\p{Cf}\p{Default_Ignorable_Code_Point}]`,
    String.raw`(?<!^|[${emoji}])[\uFE0E\uFE0F](?!\u20E3)`,
    String.raw`(?<!^|[${emoji}\p{M}${joining}])[\u200C\u200D]`,
  ];
  return new RegExp(parts.join('|'), 'gu');
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, unit) => String.raw`\u` + character.charCodeAt(unit).toString(16).padStart(4, '0'),
  ).join('');
}

/** One line, truncated. */
export function short(value: unknown, max = 160): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = safe(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}

/** Columns as wide as their longest cell; the last one has any length. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === cells.length - 1 ? cell : cell + ' '.repeat(widths[column]! - widthOf(cell)),
      )
      .join('  ')
      .trimEnd();
  return [dim(line(headings)), ...rows.map(line)].join('\n');
}

/** The width without colour codes. */
function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
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
/** The width if the terminal does not report one: some report 0. */
export const COLUMNS = 80;

let working = false;

/**
 * Called when stdout is closed, as by `continuo runs | head -1`: a command that only prints exits; one that does work
 * continues.
 */
export function onClosedOutput(): void {
  if (!working) process.exit(process.exitCode ?? 0);
}

/** Progress on stderr: a bar at a terminal, otherwise a line for each step; nothing with --json. */
export function progress(json: boolean): Progress {
  working = true;
  if (json) return { step: () => undefined, end: () => undefined };
  if (!process.stderr.isTTY) {
    return {
      step: (done, of, what) => note(`${of === null ? done : `${done}/${of}`} ${safe(what)}`),
      end: () => undefined,
    };
  }
  return {
    step: (done, of, what) => {
      const full = of === null || of === 0 ? 0 : Math.round((done / of) * BAR);
      const bar = of === null ? `${done}` : `${'█'.repeat(full)}${dim('░'.repeat(BAR - full))} ${done}/${of}`;
      process.stderr.write(
        `\r\u001B[2K${bar} ${short(what, Math.max(10, (process.stderr.columns || COLUMNS) - 45))}`,
      );
    },
    end: () => process.stderr.write('\r\u001B[2K'),
  };
}
