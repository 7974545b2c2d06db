// Reads the YAML front matter of a file that governs agents: a role or a skill. Pure. An error names its line and column in the
// file, and what is allowed.

import {
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import { didYouMean } from '../did-you-mean.ts';

interface Mistake {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly sentence: string;
}

export type Failed = { readonly ok: false; readonly mistake: Mistake };

interface Wanted<T> {
  readonly schema: z.ZodType<T>;
  /** The keys that are allowed in the map at a path. */
  readonly allowedIn: (path: readonly PropertyKey[]) => readonly string[];
  /** What the schema cannot check: the path of a wrong value, and what is wrong with it. */
  readonly check?: (given: T) => { readonly path: readonly PropertyKey[]; readonly sentence: string } | null;
}

/** The front matter as the schema wants it, and the text after it. A file may have no front matter. */
export function readFrontMatter<T>(
  text: string,
  wanted: Wanted<T>,
): { readonly ok: true; readonly given: T; readonly body: string } | Failed {
  const parts = split(text);
  if (parts === null)
    return mistake(
      1,
      1,
      'the front matter that begins here is not closed; end it with a line of three dashes, ---',
    );
  try {
    const read = readYaml(parts.yaml, wanted);
    return read.ok ? { ...read, body: parts.body } : read;
  } catch (error) {
    // The YAML parser is recursive, and 64 KiB of brackets can overflow the stack.
    if (!(error instanceof RangeError)) throw error;
    return mistake(
      2,
      1,
      'the front matter is nested too deeply; the deepest value allowed is a list of text',
    );
  }
}

const FENCE = /^---[ \t]*$/;

/** Null if the front matter does not end. */
function split(text: string): { yaml: string; body: string } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0]!)) return { yaml: '', body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return null;
  return { yaml: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

function readYaml<T>(
  yaml: string,
  { schema, allowedIn, check }: Wanted<T>,
): { readonly ok: true; readonly given: T } | Failed {
  const counter = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const at = (offset: number, sentence: string) => {
    const { line, col } = counter.linePos(Math.min(offset, yaml.length));
    // The front matter begins on the file's second line.
    return mistake(line + 1, col, sentence);
  };
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong) return at(wrong.pos[0], inWords(wrong));
  if (document.contents !== null && !isMap(document.contents))
    return at(0, 'the front matter must be keys with values, such as "description: Reviews texts"');
  const alias = firstAlias(document);
  if (alias !== null) return at(alias, STAR);
  const checked = schema.safeParse(document.toJS() ?? {});
  if (checked.success) {
    const found = check?.(checked.data);
    return found
      ? at(offsetOf(document, found.path, false), `${pathOf(found.path)}: ${found.sentence}`)
      : { ok: true, given: checked.data };
  }
  const issue = checked.error.issues[0]!;
  if (issue.code !== 'unrecognized_keys')
    return at(offsetOf(document, issue.path, false), `${pathOf(issue.path)}: ${issue.message}`);
  const path = [...issue.path, issue.keys[0]!];
  return at(
    offsetOf(document, path, true),
    `${pathOf(path)} is not a known key${didYouMean(issue.keys[0]!, allowedIn(issue.path))}`,
  );
}

const STAR = 'a value that begins with * must be in quotes, as in "*"';

function inWords({ code, message }: YAMLError): string {
  return code === 'BAD_ALIAS' ? STAR : `this is not YAML: ${message}`;
}

/** The offset of the first YAML alias. Aliases are not needed here, and can expand a small file to a huge value. */
function firstAlias(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Alias: (_, { range }) => {
      found = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}

/** The offset of the value at a path, or of its key; if there is none, of the nearest parent. */
function offsetOf(document: Document, path: readonly PropertyKey[], key: boolean): number {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const holder = document.getIn(path.slice(0, depth - 1), true);
    const pair =
      key && depth === path.length && isMap(holder)
        ? holder.items.find((item) => isScalar(item.key) && String(item.key.value) === path.at(-1))
        : undefined;
    const node = pair
      ? pair.key
      : depth === 0
        ? document.contents
        : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** `permissions[0].tool` */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

export function mistake(line: number, column: number, sentence: string): Failed {
  return { ok: false, mistake: { line, column, sentence } };
}
