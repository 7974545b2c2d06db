// Reads a YAML text that people and agents write: keys with values, without aliases. Pure. A mistake names its line and
// column in the text.
//
// The parser is recursive, and some texts take it seconds: brackets overflow the stack, and each wrong comma is an error
// of its own. Therefore these are jobs for a worker thread.

import { JSON_DEPTH } from '@continuo/engine';
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  type Document,
  type YAMLError,
  type YAMLMap,
} from 'yaml';

interface YamlPlace {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
}

interface YamlMistake extends YamlPlace {
  readonly sentence: string;
}

interface Mistake {
  /** From the beginning of the text. */
  readonly offset: number;
  readonly sentence: string;
}

type ReadYaml =
  | { readonly ok: true; readonly value: object }
  | { readonly ok: false; readonly mistake: YamlMistake };

const STAR = 'a value that begins with * must be in quotes, as in "*"';
const TOO_DEEP = 'the values are nested too deeply; the deepest value allowed is a list of text';

export function readYaml({ yaml }: { readonly yaml: string }): ReadYaml {
  try {
    const { document, at } = parse(yaml);
    const found = firstMistake(document);
    if (found) return { ok: false, mistake: { ...at(found.offset), sentence: found.sentence } };
    return { ok: true, value: (document.toJS() ?? {}) as object };
  } catch (error) {
    if (error instanceof RangeError) return tooDeep();
    throw error;
  }
}

/** Where the value at a path is, or its key; if there is none, its nearest parent. The text can be read. */
export function placeInYaml({
  yaml,
  path,
  key,
}: {
  readonly yaml: string;
  readonly path: readonly PropertyKey[];
  readonly key: boolean;
}): YamlPlace {
  const { document, at } = parse(yaml);
  return at(offsetOf(document, path, key));
}

function parse(yaml: string) {
  const counter = new LineCounter();
  // The parser compares each key with all others of its map; `repeatedKey` looks each of them up.
  const options = {
    lineCounter: counter,
    prettyErrors: false,
    logLevel: 'silent',
    uniqueKeys: false,
  } as const;
  const document = parseDocument(yaml, options);
  const at = (offset: number): YamlPlace => {
    const { line, col } = counter.linePos(Math.min(offset, yaml.length));
    return { line, column: col };
  };
  return { document, at };
}

function firstMistake(document: Document): Mistake | null {
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong) return { offset: wrong.pos[0], sentence: inWords(wrong) };
  if (document.contents !== null && !isMap(document.contents))
    return { offset: 0, sentence: 'there must be keys with values, such as "description: Reviews texts"' };
  return document.contents === null ? null : mistakeIn(document.contents, JSON_DEPTH);
}

/**
 * The first mistake in a node. The library's `visit` copies the path to every node, so that a few kilobytes of brackets
 * take all memory.
 */
function mistakeIn(node: unknown, depth: number): Mistake | null {
  // Aliases are not needed here, and can expand a small text to a huge value.
  if (isAlias(node)) return { offset: node.range?.[0] ?? 0, sentence: STAR };
  if (!isCollection(node)) return null;
  if (depth === 0) return { offset: node.range?.[0] ?? 0, sentence: TOO_DEEP };
  const repeated = isMap(node) ? repeatedKey(node) : null;
  if (repeated) return repeated;
  for (const item of node.items) {
    for (const part of isPair(item) ? [item.key, item.value] : [item]) {
      const found = mistakeIn(part, depth - 1);
      if (found) return found;
    }
  }
  return null;
}

function repeatedKey({ items }: YAMLMap): Mistake | null {
  const keys = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (keys.has(key.value))
      return { offset: key.range?.[0] ?? 0, sentence: notYaml('Map keys must be unique') };
    keys.add(key.value);
  }
  return null;
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'BAD_ALIAS') return STAR;
  // The parser's stack overflowed.
  return code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : notYaml(message);
}

function notYaml(why: string): string {
  return `this is not YAML: ${why}`;
}

function tooDeep(): ReadYaml {
  return { ok: false, mistake: { line: 1, column: 1, sentence: TOO_DEEP } };
}

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
