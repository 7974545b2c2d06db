// "Change its last line", "replace line 3 of a.txt with …": a line must be read before it can be replaced, so this takes two
// calls. Works with any tool that reads a path and any tool that replaces one text by another.

import type { Atom } from './atoms.ts';
import type { Choice, Clause, Profile } from './choose.ts';
import { nest } from './fill.ts';
import { isPathLike, isText } from './reading.ts';
import { type Leaf, leavesOf, resolveSchema } from './schema.ts';
import { shapeOf } from './shape.ts';
import { otherLine } from './stock-texts.ts';
import { BEFORE_REPLACEMENT, ORDINALS } from './vocabulary.ts';
import { related, stem } from './words.ts';

/** An input computed from the results of earlier calls, or the reason why it cannot be. */
export type Derived =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>>; readonly stock: boolean }
  | { readonly ok: false; readonly problem: string };

const CHANGES = stem('change');

/** The two calls for a clause about a line; null if the clause is about something else. */
export function lineChange(
  clause: Clause,
  profiles: readonly Profile[],
): readonly [read: Choice, edit: Choice] | null {
  const { shape, from } = shapeOf(clause.atoms);
  const verb = clause.atoms[from]?.stems[0] ?? '';
  if (shape !== 'order' || related(verb, CHANGES) === 0) return null;
  const line = lineIn(clause.atoms);
  const path = clause.atoms.find((atom) => atom.kind === 'path')?.value ?? clause.spoken;
  const reader = profiles.find(isReader);
  const editor = profiles.map(editorOf).find((one) => one !== null);
  if (!line || path === null || !reader || !editor) return null;
  const fresh = replacementIn(clause, line.to);
  const readInput = nest([[requiredOf(reader)[0]!.path, path]]);
  const made = { clause, missing: [], weight: 2 };
  return [
    { ...made, tool: reader.tool, input: readInput },
    {
      ...made,
      tool: editor.tool,
      input: {},
      derive: (outcomes) => {
        const read = outcomes.findLast(
          ({ tool, input }) =>
            tool === reader.tool.name && JSON.stringify(input) === JSON.stringify(readInput),
        );
        return replacement(linesOf(read?.output), { ...line, path, fresh }, editor);
      },
    },
  ];
}

interface LinePlace {
  /** Counted from 1; negative numbers count from the end. */
  readonly number: number;
  readonly to: number;
}

function lineIn(atoms: readonly Atom[]): LinePlace | null {
  for (const [at, atom] of atoms.entries()) {
    if (atom.kind !== 'word' || atom.value.toLowerCase() !== 'line') continue;
    const before = atoms[at - 1]?.value.toLowerCase() ?? '';
    const after = atoms[at + 1];
    if (before === 'last') return { number: -1, to: at + 1 };
    const ordinal = ORDINALS.get(before);
    if (ordinal !== undefined) return { number: ordinal, to: at + 1 };
    if (after?.kind === 'number' && /^[1-9]\d{0,5}$/.test(after.value))
      return { number: Number(after.value), to: at + 2 };
  }
  return null;
}

/** The text after "with" or "to", exactly as written. */
function replacementIn({ text, atoms }: Clause, from: number): string | null {
  const at = atoms.findIndex(
    (atom, index) => index >= from && BEFORE_REPLACEMENT.has(atom.value.toLowerCase()),
  );
  const first = at < 0 ? undefined : atoms[at + 1];
  if (!first || first.kind === 'path') return null;
  return first.kind === 'quoted' ? first.value : text.slice(first.start).replace(/[.\s]+$/, '');
}

const requiredOf = (profile: Profile): readonly Leaf[] =>
  leavesOf(resolveSchema(profile.tool.input, profile.tool.input), profile.tool.input).filter(
    (leaf) => leaf.required,
  );

function isReader(profile: Profile): boolean {
  const required = requiredOf(profile);
  return profile.verbs.includes(stem('read')) && required.length === 1 && isPathLike(required[0]!);
}

interface Editor {
  readonly tool: Profile['tool'];
  readonly path: Leaf;
  readonly old: Leaf;
  readonly fresh: Leaf;
}

function editorOf(profile: Profile): Editor | null {
  const required = requiredOf(profile);
  const path = required.find(isPathLike);
  const old = required.find((leaf) => isText(leaf.kind) && leaf.words.includes('old'));
  const fresh = required.find((leaf) => isText(leaf.kind) && leaf.words.includes('new'));
  return path && old && fresh && required.length === 3 ? { tool: profile.tool, path, old, fresh } : null;
}

/** The lines of a text that was read. Line numbers are removed; in a numbered text, unnumbered lines are not part of the file. */
function linesOf(output: unknown): readonly string[] {
  const text = textIn(output);
  const numbered = text.match(/^ *\d+\t.*$/gm);
  return numbered
    ? numbered.map((line) => line.replace(/^ *\d+\t/, ''))
    : text.replace(/\n$/, '').split('\n');
}

function textIn(output: unknown): string {
  if (typeof output === 'string') return output;
  if (typeof output !== 'object' || output === null) return '';
  for (const key of ['text', 'content', 'result']) {
    const value = (output as Record<string, unknown>)[key];
    if (typeof value === 'string') return value;
  }
  return '';
}

function replacement(
  lines: readonly string[],
  { number, path, fresh: given }: LinePlace & { readonly path: string; readonly fresh: string | null },
  { old, fresh, path: place }: Editor,
): Derived {
  const at = number < 0 ? lines.length + number : number - 1;
  const line = lines[at];
  if (line === undefined || line === '')
    return {
      ok: false,
      problem: `${path} has no such line; it has ${lines.length === 1 ? '1 line' : `${lines.length} lines`}.`,
    };
  const text = given ?? otherLine(line);
  if (text === null)
    return {
      ok: false,
      problem: `I cannot make up another line. Tell me the new one, for example: replace the ${number < 0 ? 'last line' : `line ${number}`} of ${path} with "…"`,
    };
  // Includes as many preceding lines as needed to make the place unique.
  let first = at;
  const until = (from: number) => lines.slice(from, at + 1).join('\n');
  while (first > 0 && lines.join('\n').split(until(first)).length > 2) first -= 1;
  const before = lines
    .slice(first, at)
    .map((each) => `${each}\n`)
    .join('');
  const input = nest([
    [place.path, path],
    [old.path, until(first)],
    [fresh.path, `${before}${text}`],
  ]);
  return { ok: true, input, stock: given === null };
}
