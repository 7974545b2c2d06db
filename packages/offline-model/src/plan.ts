// Plans the calls for a message, clause by clause, in groups that run one after another. A new clause begins after a separator if
// the following words choose a tool of their own, or are bare values for the same tool ("read a.txt and b.txt").

import type { ToolSchema } from './request.ts';
import { type Atom, readAtoms } from './atoms.ts';
import { type Choice, type Clause, type Profile, choose, fillFor, profileOf } from './choose.ts';
import { lineChange } from './lines.ts';
import { isContent, isPathLike } from './reading.ts';
import { fits, leavesOf, resolveSchema } from './schema.ts';
import { type Shape, shapeOf } from './shape.ts';
import { stockText } from './stock-texts.ts';
import { AND, THEN } from './vocabulary.ts';
import { isEmptyWord, stem } from './words.ts';

export interface Intent extends Choice {
  /** Calls of the same group are made at once. */
  readonly group: number;
}

/** Longer messages are not searched for tool calls, and the answer says so. A quoted text counts as one atom. */
const MOST_CHARACTERS = 64_000;
const MOST_ATOMS = 400;
const MOST_SEGMENTS = 40;

type Joint = 'start' | 'and' | 'comma' | 'sentence' | 'then';

const isLoose = (joint: Joint): boolean => joint === 'and' || joint === 'comma';

interface Segment {
  readonly joint: Joint;
  readonly from: number;
  readonly to: number;
}

/** `lastPath` is the last path that was mentioned, to which "it" refers. */
export function planFor(
  text: string,
  tools: readonly ToolSchema[],
  lastPath: string | null = null,
): readonly Intent[] {
  const atoms = readRequest(text);
  if (tools.length === 0 || !atoms) return [];
  const profiles = tools.map(profileOf);
  const plan: Planned[] = [];
  let open: Segment | null = null;
  let meant: Shape = 'order';

  const chosenBy = (clause: Clause, segment: Segment, next: Segment | undefined): Choice | null => {
    const current = plan.at(-1)?.choice;
    const own = choose(clause, profiles);
    if (own && (!isLoose(segment.joint) || own.missing.length === 0)) return own;
    // After "and", a clause must be complete, if necessary together with the next segment: "add 2 and 3".
    const longer = clauseOf(text, atoms, { ...segment, to: next?.to ?? segment.to }, lastPath);
    if (own && choose(longer, profiles)?.missing.length === 0) return own;
    return current ? sameAgain(current, clause, profiles) : null;
  };

  const segments = segmentsOf(atoms);
  for (const [index, segment] of segments.entries()) {
    const clause = clauseOf(text, atoms, segment, lastPath);
    const current = plan.at(-1)?.choice;
    const isHeld = holds(meant, segment.joint);
    if (!isHeld) meant = meaningOf(clause);
    const line = isHeld ? null : lineChange(clause, profiles);
    if (line) {
      plan.push(...line.map((choice): Planned => ({ choice, joint: 'then' })));
      open = null;
      continue;
    }
    const chosen = isHeld ? null : chosenBy(clause, segment, segments[index + 1]);
    if (chosen) {
      plan.push({ choice: chosen, joint: segment.joint });
      open = segment;
      continue;
    }
    const isAside =
      current?.missing.length === 0 && segment.joint === 'sentence' && !takesContent(current.tool);
    if (isAside) open = null;
    if (current && !open) continue;
    if (!current && !isLoose(segment.joint)) open = null;
    open = { joint: open?.joint ?? 'start', from: open?.from ?? segment.from, to: segment.to };
    const whole = clauseOf(text, atoms, open, lastPath);
    const merged = current ? refill(current, whole, profiles) : isHeld ? null : choose(whole, profiles);
    if (merged) plan.splice(-1, 1, { choice: merged, joint: open.joint });
  }
  return inGroups(plan.map(({ choice, joint }) => ({ choice: withStock(choice), joint })));
}

/** Replaces content that only names a kind of text ("a haiku") by a stock text; quoted content is used as it is. */
function withStock(choice: Choice): Choice {
  for (const leaf of leaves(choice.tool)) {
    const [name] = leaf.path;
    const value = leaf.path.length === 1 && isContent(leaf) ? choice.input[name!] : undefined;
    if (typeof value !== 'string' || choice.clause.atoms.some((atom) => atom.kind === 'quoted')) continue;
    const stock = stockText(value);
    if (stock && fits(stock.text, leaf.schema, choice.tool.input))
      return { ...choice, input: { ...choice.input, [name!]: stock.text }, stock: stock.kind };
  }
  return choice;
}

interface Planned {
  readonly choice: Choice;
  readonly joint: Joint;
}

/** A greeting such as "Hello" does not affect the meaning of what follows. */
function meaningOf(clause: Clause): Shape {
  const { shape, from } = shapeOf(clause.atoms);
  return from >= clause.atoms.length ? 'order' : shape;
}

/** Whether the meaning extends to the next clause: "don't read a and delete b" denies both; "if a exists, delete b" orders nothing. */
function holds(meant: Shape, joint: Joint): boolean {
  if (meant === 'conditional') return joint !== 'sentence';
  if (meant === 'denied') return isLoose(joint);
  return meant === 'statement' && joint === 'and';
}

/** The same request, completed with the answer to its missing input. */
export function planWithAnswer(
  pending: readonly Intent[],
  answer: string,
  tools: readonly ToolSchema[],
): readonly Intent[] {
  const [first, ...later] = pending;
  const tool = tools.find((one) => one.name === first?.tool.name);
  if (!first || !tool) return [];
  const profile = profileOf(tool);
  const fillWith = (addition: string): Choice => {
    const text = `${first.clause.text.replace(/[.?!\s]+$/, '')}, ${addition}`;
    return fillFor(profile, { text, atoms: readAtoms(text), spoken: first.clause.spoken });
  };
  const only = first.missing.length === 1 ? first.missing[0]?.name.split('.').at(-1) : undefined;
  const asGiven = fillWith(answer);
  const isPlain = asGiven.missing.length === 0 && asGiven.weight > first.weight;
  // In a code fence, the whole answer becomes the one value, exactly as written.
  const best = only === undefined || isPlain ? asGiven : fillWith(`${only}: \`\`\`\n${answer.trim()}\`\`\``);
  return [{ ...best, group: first.group }, ...later];
}

export function lastPathIn(text: string): string | null {
  return readRequest(text)?.findLast((atom) => atom.kind === 'path')?.value ?? null;
}

export const isTooLong = (text: string): boolean => readRequest(text) === null;

function readRequest(text: string): readonly Atom[] | null {
  const atoms = text.length > MOST_CHARACTERS ? null : readAtoms(text, MOST_ATOMS + 1);
  return atoms && atoms.length <= MOST_ATOMS ? atoms : null;
}

/** Calls of different tools run one after another, because the second may depend on the first. */
function inGroups(plan: readonly Planned[]): readonly Intent[] {
  let group = 0;
  return plan.map(({ choice, joint }, index) => {
    const before = plan[index - 1];
    const together =
      isLoose(joint) &&
      before?.choice.tool.name === choice.tool.name &&
      before.choice.missing.length === 0 &&
      choice.missing.length === 0;
    if (before && !together) group += 1;
    return { ...choice, group };
  });
}

function jointAt(atoms: readonly Atom[], at: number): Joint | null {
  const atom = atoms[at];
  if (!atom) return null;
  const value = atom.value.toLowerCase();
  if (atom.kind === 'word')
    return THEN.has(value) ? 'then' : value === 'but' ? 'comma' : AND.has(value) ? 'and' : null;
  if (atom.kind !== 'mark') return null;
  if ('.!?;'.includes(value)) return 'sentence';
  return value === ',' ? 'comma' : value === '&' ? 'and' : null;
}

const BY_STRENGTH: readonly Joint[] = ['start', 'and', 'comma', 'sentence', 'then'];
const stronger = (one: Joint, other: Joint): Joint =>
  BY_STRENGTH.indexOf(one) >= BY_STRENGTH.indexOf(other) ? one : other;

/** Splits the atoms at separators; a question mark or exclamation mark stays with its segment. */
function segmentsOf(atoms: readonly Atom[]): readonly Segment[] {
  const segments: Segment[] = [];
  let joint: Joint = 'start';
  let from = 0;
  const close = (to: number): void => {
    if (to > from) segments.push({ joint, from, to });
    if (to > from) joint = 'start';
  };
  for (let at = 0; at < atoms.length && segments.length < MOST_SEGMENTS - 1; at += 1) {
    const atom = atoms[at];
    if (atom?.startsLine && at > from) {
      close(at);
      from = at;
      joint = stronger('sentence', joint);
    }
    const separator = jointAt(atoms, at);
    if (separator === null) continue;
    close(atom?.value === '?' || atom?.value === '!' ? at + 1 : at);
    from = at + 1;
    joint = stronger(separator, joint);
  }
  if (from < atoms.length) segments.push({ joint, from, to: atoms.length });
  return segments;
}

/** A segment's atoms, with positions relative to its own text; "it" becomes the path that it refers to. */
function clauseOf(text: string, atoms: readonly Atom[], segment: Segment, lastPath: string | null): Clause {
  const path = atoms.slice(0, segment.from).findLast((atom) => atom.kind === 'path')?.value ?? lastPath;
  const own = atoms.slice(segment.from, segment.to);
  const start = own[0]?.start ?? 0;
  const moved = own.map((atom) => ({ ...atom, start: atom.start - start, end: atom.end - start }));
  const whole = { text: text.slice(start, own.at(-1)?.end ?? start), atoms: moved, spoken: path };
  if (path === null || own.some((atom) => atom.kind === 'path')) return whole;
  const standsForIt = (atom: Atom, at: number): boolean => {
    const word = atom.kind === 'word' ? atom.value.toLowerCase() : '';
    const before = own[at - 1]?.value.toLowerCase() ?? '';
    return (at > 0 && word === 'it') || (word === 'file' && ['the', 'that', 'this', 'same'].includes(before));
  };
  const it = moved.findIndex(standsForIt);
  return {
    ...whole,
    atoms: moved.map((atom, at) => (at === it ? { ...atom, kind: 'path', value: path } : atom)),
  };
}

/** Bare values without a verb, for the tool that was just chosen. */
function sameAgain(current: Choice, clause: Clause, profiles: readonly Profile[]): Choice | null {
  const profile = profiles.find((one) => one.tool === current.tool);
  if (!profile || current.missing.length > 0 || leaves(current.tool).some((leaf) => leaf.kind === 'array'))
    return null;
  const values = clause.atoms.filter((atom) => atom.kind !== 'word' && atom.kind !== 'mark');
  const isBare = clause.atoms.every(
    (atom) =>
      atom.kind !== 'word' ||
      isEmptyWord(atom.value) ||
      profile.name.some((word) => word.stem === stem(atom.value)),
  );
  if (values.length === 0 || !isBare) return null;
  const choice = fillFor(profile, clause);
  return choice.missing.length === 0 && choice.weight >= 1 ? choice : null;
}

function refill(current: Choice, clause: Clause, profiles: readonly Profile[]): Choice {
  const profile = profiles.find((one) => one.tool === current.tool);
  const again = profile ? fillFor(profile, clause) : current;
  return again.missing.length <= current.missing.length ? again : current;
}

const leaves = (tool: ToolSchema) => leavesOf(resolveSchema(tool.input, tool.input), tool.input);
const takesContent = (tool: ToolSchema): boolean =>
  leaves(tool).some((leaf) => isContent(leaf) && !isPathLike(leaf));
