// Reads a message by the table of forms. It is split into clauses: either every clause has a form and all are carried out, or
// nothing is. A missed call is better than a wrong one.

import type { HistoryMessage } from './request.ts';

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The content is a text of the stock. */
  readonly stock?: boolean;
}

export interface CallOutcome extends Call {
  readonly output: unknown;
  readonly failed: boolean;
}

/** The calls of one message, given the results so far; a string is said instead of them, and ends the answer. */
export type CallStep = (outcomes: readonly CallOutcome[]) => readonly Call[] | string;

export interface Situation {
  readonly tools: ReadonlySet<string>;
  /** The project that the system text names. */
  readonly project: string | undefined;
  /** The path that was mentioned last: "it". */
  readonly it: string | null;
  readonly history: readonly HistoryMessage[];
}

/** The named groups of a form's pattern. A group that is one quoted text has no quotes. */
export type Said = Readonly<Record<string, string | undefined>>;

/** Null: the sentence is about something else after all, or its tools are missing. */
export type CallSteps = readonly CallStep[] | null;
export type Steps = (said: Said, situation: Situation) => CallSteps;

/** The example is shown to people who ask for something else. */
export const form = (example: string, pattern: RegExp, steps: Steps) => ({ example, pattern, steps });
export type Form = ReturnType<typeof form>;

export function call(tool: string, input: Call['input'], stock = false): CallStep {
  return () => [{ tool, input, stock }];
}

/** A message that is longer is not read for calls; quoted texts do not count for the second limit. */
const LONGEST_MESSAGE = 16_000;
const LONGEST_UNQUOTED = 2000;
const MOST_CLAUSES = 20;

/** A mark stands for each quoted text while a sentence is read, so that nothing in it is taken for a part of the sentence. */
export const QUOTE = String.raw`\uE000\d+\uE001`;
const MARKS = new RegExp(QUOTE, 'g');
const QUOTED =
  /```(?:[\w-]*\n)?([\s\S]*?)```|`([^`\n]+)`|"([^"]*)"|“([^”]*)”|(?<![\p{L}\p{N}])'((?:[^'\n]|'(?=\p{L}))*)'(?!\p{L})/gu;
const VERBS =
  'add|call|change|count|create|delete|find|list|make|mark|move|open|put|read|remove|rename|replace|restore|run|save|search|set|show|tell|undo|what changed|write';
const BETWEEN = new RegExp(
  `(?:[.;!,\\n]|\\s(?=(?:and|then)\\b))\\s*(?:(?:and|then|also|finally|please),?\\s+)*(?=(?:${VERBS})\\b)`,
  'i',
);
const LEAD_IN = /^(?:(?:please|now|then|ok|hi|hello|hey|(?:could|can|would) you|i want you to)[,!]?\s+)+/i;
const AT_END = /[.!?\s]+$/;
const PATH = /(?:^|\s)([^\s,;:]*[./][^\s,;:]*[^\s,;:.!?])/g;

/** The steps that the text asks for; null if a part of it has no form. */
export function readClauses(forms: readonly Form[], text: string, situation: Situation) {
  if (text.length > LONGEST_MESSAGE) return null;
  const plain = text.replaceAll(/[\uE000\uE001]/g, ' ');
  const quotes: string[][] = [];
  const masked = plain.replaceAll(QUOTED, (whole, ...inside: string[]) => {
    quotes.push([whole, inside.find((each) => each !== undefined)!]);
    return `\uE000${quotes.length - 1}\uE001`;
  });
  const clauses = masked.split(BETWEEN);
  if (masked.length > LONGEST_UNQUOTED || clauses.length > MOST_CLAUSES) return null;
  const unmask = (part: string) =>
    part.replaceAll(MARKS, (mark) => quotes[Number(mark.slice(1, -1))]![mark === part ? 1 : 0]!);
  const read = (clause: string, it: string | null) =>
    matchForm(forms, clause.trim().replace(LEAD_IN, '').replace(AT_END, ''), { ...situation, it }, unmask);
  const steps: CallStep[] = [];
  let { it } = situation;
  for (const clause of clauses) {
    const found = read(clause, it);
    if (!found) return read(masked, situation.it);
    steps.push(...found);
    it = lastPathIn(unmask(clause)) ?? it;
  }
  return steps;
}

/** The steps of the first form that matches; null if there is none. */
export function matchForm(
  forms: readonly Form[],
  text: string,
  situation: Situation,
  unmask = (part: string) => part,
) {
  for (const { pattern, steps } of forms) {
    const groups = Object.entries(pattern.exec(text)?.groups ?? {});
    const said = groups.map(([group, part]: [string, string | undefined]) => [group, part && unmask(part)]);
    const found = groups.length > 0 ? steps(Object.fromEntries(said), situation) : null;
    if (found) return found;
  }
  return null;
}

export function lastPathIn(text: string): string | null {
  return [...text.slice(-LONGEST_UNQUOTED).matchAll(PATH)].at(-1)?.[1] ?? null;
}
