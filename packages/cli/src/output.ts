// How results are shown: tables and sentences for people, JSON for programs. What models, tools and files say goes
// through `safe`: nothing of it can steer the terminal, or look like something else.

import { stripVTControlCharacters } from 'node:util';
import colors from 'picocolors';

export const { bold, cyan, dim, green, red, yellow } = colors;

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${safe(JSON.stringify(value))}\n`);
}

/** For what is not the result: progress, how to go on. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What cannot be seen is shown as JSON writes it: `\u202e`. */
export function safe(text: string): string {
  unseen ??= whatIsUnseen();
  return text.replaceAll(/\r\n/g, '\n').replaceAll(unseen, escaped);
}

/** Made when it is needed first: its tables are large, and `--help` says nothing of strangers. */
let unseen: RegExp | undefined;

/** Scripts whose letters join, or are kept from it. */
const JOINING =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan';

/**
 * What cannot be seen, or shows a text in another order than it has, but for line ends, tabs, and joiners and variation selectors
 * where people write them: in emoji, and between letters of scripts that join. A piece of a stream may begin with one.
 */
function whatIsUnseen(): RegExp {
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

/** One line, cut where it gets long. */
export function short(value: unknown, most = 160): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = safe(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Columns by the longest of their cells; the last one may be of any length. */
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

/** Colours take no room. */
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
/** Where a terminal does not know how wide it is: some say 0. */
export const COLUMNS = 80;

let working = false;

/** Whoever reads may stop reading: `continuo runs | head -1` is done then. Work is not for its reader, and goes on. */
export function onUnread(): void {
  if (!working) process.exit(process.exitCode ?? 0);
}

/** Of work. On stderr: a bar that moves at a terminal, else a line for each step; nothing beside JSON. */
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
