// Chooses the tool that a clause asks for, if any: by the words of the tool's name, description and properties, and by the values
// that fit it. A missed call is better than a wrong one. So a tool is never chosen for a statement, a "don't", a verb that is not
// the tool's own, or, if the tool does more than read, a question.

import type { ToolSchema } from './request.ts';
import type { Atom } from './atoms.ts';
import { type Filled, fill } from './fill.ts';
import type { Derived } from './lines.ts';
import { leavesOf, resolveSchema } from './schema.ts';
import { type Shape, shapeOf } from './shape.ts';
import type { CallOutcome } from './sentences.ts';
import { HELPER_VERBS, LIGHT_WORDS, NOUN_PHRASE_OPENINGS } from './vocabulary.ts';
import { isAskingVerb, isEmptyWord, isKnownVerb, isRunningVerb, related, splitName, stem } from './words.ts';

export interface Clause {
  readonly text: string;
  readonly atoms: readonly Atom[];
  /** The path that was mentioned before. */
  readonly spoken: string | null;
}

export interface Choice extends Filled {
  readonly tool: ToolSchema;
  readonly clause: Clause;
  /** Computes the input if it depends on the results of earlier calls. */
  readonly derive?: (outcomes: readonly CallOutcome[]) => Derived;
  /** The kind of stock text that was used. */
  readonly stock?: string;
}

/** What is known about a tool before any request. */
export interface Profile {
  readonly tool: ToolSchema;
  readonly name: readonly { readonly stem: string; readonly weight: number }[];
  readonly verbs: readonly string[];
  /** The first word of the description, if it is not part of the name. */
  readonly lead: string | null;
  readonly asks: boolean;
  readonly about: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
}

const profiles = new WeakMap<ToolSchema, Profile>();

export function profileOf(tool: ToolSchema): Profile {
  const known = profiles.get(tool) ?? makeProfile(tool);
  profiles.set(tool, known);
  return known;
}

function makeProfile(tool: ToolSchema): Profile {
  const names = splitName(tool.name).filter((word) => !isEmptyWord(word) || word === tool.name);
  const name = names.map((word) => ({ stem: stem(word), weight: LIGHT_WORDS.has(word) ? 0.3 : 1 }));
  const sentence = splitName((tool.description.split(/[.\n]/)[0] ?? '').slice(0, 300));
  const opening = sentence[0] ?? '';
  const lead = opening === '' || isEmptyWord(opening) ? null : stem(opening);
  const known = name.find((word) => isKnownVerb(word.stem))?.stem;
  const verbs = [...(known === undefined ? [name.at(0)?.stem, name.at(-1)?.stem] : [known]), lead].filter(
    (verb) => verb !== null && verb !== undefined,
  );
  const leaves = leavesOf(resolveSchema(tool.input, tool.input), tool.input);
  return {
    tool,
    name,
    verbs,
    lead: lead !== null && !name.some((word) => word.stem === lead) ? lead : null,
    asks: verbs.some(isAskingVerb)
      ? !verbs.some((verb) => isKnownVerb(verb) && !isAskingVerb(verb))
      : NOUN_PHRASE_OPENINGS.has(opening) && known === undefined,
    about: new Set(sentence.filter((word) => !isEmptyWord(word)).map(stem)),
    properties: new Set(
      leaves
        .flatMap((leaf) => leaf.words)
        .filter((word) => word.length > 1 && !isEmptyWord(word))
        .map(stem),
    ),
  };
}

/** The tool that the clause asks for; the first of the best if several fit. */
export function choose(clause: Clause, among: readonly Profile[]): Choice | null {
  const { shape, from } = shapeOf(clause.atoms);
  if (shape !== 'order' && shape !== 'question') return null;
  const words = contentWords(clause.atoms, from);
  let best: { readonly score: number; readonly choice: Choice } | null = null;
  for (const profile of among) {
    const judged = judge(profile, clause, { shape, from, words });
    if (judged && (!best || judged.score > best.score)) best = judged;
  }
  return best?.choice ?? null;
}

/** Fills in the input of a chosen tool. */
export function fillFor(profile: Profile, clause: Clause): Choice {
  const { from } = shapeOf(clause.atoms);
  return {
    tool: profile.tool,
    clause,
    ...fill(profile.tool.input, {
      ...clause,
      from,
      // For "its history"; also for "show me the history", because reading the wrong file does no harm.
      path:
        profile.asks || clause.atoms.some((atom) => atom.value.toLowerCase() === 'its')
          ? clause.spoken
          : null,
      toolWords: new Set(profile.name.map((word) => word.stem)),
      aboutWords: new Set([...profile.about, ...profile.properties]),
    }),
  };
}

/** Stems in order, followed by words that the values imply: a path implies a file, and a verb like "run" a command. */
function contentWords(atoms: readonly Atom[], from: number): readonly string[] {
  const words = atoms
    .slice(from)
    .flatMap((atom) => (atom.kind === 'word' ? splitName(atom.value.replace(/['’]s$/, '')) : []));
  const stems = words.filter((word) => !isEmptyWord(word)).map(stem);
  const implied = [...new Set(atoms.map((atom) => atom.kind))].flatMap((kind) =>
    kind === 'path' ? ['file'] : kind === 'url' ? ['url', 'page'] : kind === 'email' ? ['email'] : [],
  );
  if (stems[0] !== undefined && isRunningVerb(stems[0])) implied.push('command');
  return [...stems, ...implied.map(stem)];
}

interface Heard {
  readonly shape: Shape;
  readonly from: number;
  readonly words: readonly string[];
}

function judge(
  profile: Profile,
  clause: Clause,
  { shape, words }: Heard,
): { readonly score: number; readonly choice: Choice } | null {
  const named = isNamed(profile.tool.name, clause.text);
  if (!named && !(shape === 'question' ? canAnswer(profile, words) : obeys(profile, words))) return null;
  const opening = words.slice(0, 2);

  const coverage = coverageOf(profile, words);
  const evidence = (named ? 10 : 0) + 4 * coverage + leadScore(profile, opening) + overlap(profile, words);
  if (evidence < 1.5) return null;
  const choice = fillFor(profile, clause);
  const complete = choice.missing.length === 0;
  // The model asks for missing input only if it is certain that this tool is meant.
  const certain =
    named || (shape === 'order' ? coverage >= 0.9 && isExplained(profile, words, choice) : coverage > 0.9);
  if (!complete && !certain) return null;
  const score = evidence + choice.weight + (complete ? 0.5 : 0);
  return score >= 3 ? { score, choice } : null;
}

const isVerbOf = (profile: Profile, word: string): boolean =>
  profile.verbs.some((verb) => related(word, verb) > 0);
const HELPERS = new Set([...HELPER_VERBS].map(stem));

/** An order begins with the tool's verb; the verb may come second for a tool that only reads, or after a helper verb. */
function obeys(profile: Profile, [first = '', second = '']: readonly string[]): boolean {
  return isVerbOf(profile, first) || ((profile.asks || HELPERS.has(first)) && isVerbOf(profile, second));
}

/** A question can only choose a tool that reads, and must contain no verb of another action. */
function canAnswer(profile: Profile, words: readonly string[]): boolean {
  return (
    profile.asks &&
    words.every((word) => !isKnownVerb(word) || isVerbOf(profile, word) || profile.about.has(word))
  );
}

/** Rules out coincidences: "add some humour" is not a call of a tool named add. */
function isExplained(profile: Profile, words: readonly string[], choice: Choice): boolean {
  if (profile.name.length > 1 || choice.weight > 0) return true;
  return words.every(
    (word) =>
      isVerbOf(profile, word) ||
      profile.about.has(word) ||
      profile.properties.has(word) ||
      profile.name.some((own) => own.stem === word),
  );
}

function isNamed(name: string, text: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const compound = /[_-]|\p{Ll}\p{Lu}/u.test(name);
  const pattern = compound
    ? `(?<![\\w-])${escaped}(?![\\w-])`
    : `\`${escaped}\`|(?<!\\w)${escaped} tool\\b|\\btool ${escaped}(?!\\w)`;
  return new RegExp(pattern, 'i').test(text);
}

function coverageOf(profile: Profile, words: readonly string[]): number {
  const total = profile.name.reduce((sum, word) => sum + word.weight, 0);
  const met = profile.name.reduce(
    (sum, word) => sum + word.weight * Math.max(0, ...words.map((one) => related(one, word.stem))),
    0,
  );
  return total === 0 ? 0 : met / total;
}

/** The score for a description that begins with the request's verb; a rare verb counts more. */
function leadScore({ lead }: Profile, opening: readonly string[]): number {
  if (lead === null) return 0;
  if (opening.includes(lead)) return isKnownVerb(lead) ? 2 : 3;
  return opening.some((word) => related(word, lead) > 0) ? 1.5 : 0;
}

function overlap(profile: Profile, words: readonly string[]): number {
  const fresh = new Set(
    words.filter((word) => word !== profile.lead && !profile.name.some((own) => own.stem === word)),
  );
  const about = [...fresh].filter((word) => profile.about.has(word)).length;
  const properties = [...fresh].filter((word) => profile.properties.has(word)).length;
  return Math.min(1.5, 0.5 * about) + Math.min(1, 0.5 * properties);
}
