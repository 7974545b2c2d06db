// Values in a plan's file: text as people write it, in double quotes (JSON's) where it would be read as something else.

import { isPlanId } from '../plans.ts';

/** What is inside the quotes, if the value is one text in quotes; otherwise the value as it is. */
export function readText(value: string): string {
  const trimmed = value.trim();
  if (!/^".*"$/s.test(trimmed)) return trimmed;
  try {
    const parsed: unknown = JSON.parse(trimmed);
    return typeof parsed === 'string' ? parsed : trimmed;
  } catch {
    return trimmed;
  }
}

/** A value that `read` reads as this text. */
export function printText(text: string, read: (value: string) => string | null = readText): string {
  return isOneLine(text) && read(text) === text ? text : quote(text);
}

/** A value of front matter, which YAML reads as the same text. */
export function readYamlText(value: string): string {
  const trimmed = value.trim();
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(trimmed);
  if (single) return single[1]!.replaceAll("''", "'");
  const double = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(trimmed);
  return double ? readText(double[1]!) : trimmed.replace(/(^|\s)#.*$/, '').trimEnd();
}

export function printYamlText(text: string): string {
  const isPlain =
    /^[\p{L}\p{N}]/u.test(text) &&
    !/: |\s#|:$|\s$/.test(text) &&
    !/^(true|false|null|yes|no|on|off|~|[-+.\d][\d_.,:eE+-]*)$/i.test(text);
  return isPlain ? printText(text, readYamlText) : quote(text);
}

/** How a list without items is written. */
const NONE = 'none';

/** The items of a list with commas. */
export function readList(value: string): readonly string[] {
  if (value.trim() === NONE) return [];
  const items: string[] = [];
  const item = /\s*("(?:[^"\\]|\\.)*"(?=\s*(?:,|$))|[^,]*?)\s*(?:,|$)/y;
  while (item.lastIndex < value.length) {
    const found = item.exec(value)![1]!;
    if (found !== '') items.push(readText(found));
  }
  return items;
}

export function printList(items: readonly string[]): string {
  if (items.length === 0) return NONE;
  return items.map((item) => printText(item, onlyItem)).join(', ');
}

/** An item that begins with a quote would go on in the next item. */
function onlyItem(value: string): string | null {
  const items = readList(value);
  return items.length === 1 && !value.startsWith('"') ? items[0]! : null;
}

/** The id of a stage or step that names none. */
export function idOfTitle(title: string, otherwise: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let id = '';
  for (const word of words) {
    const longer = id === '' ? word : `${id}-${word}`;
    if (!isPlanId(longer)) break;
    id = longer;
  }
  return id === '' ? otherwise : id;
}

function isOneLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u2028\u2029\uFEFF]/u.test(text);
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\uFEFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
