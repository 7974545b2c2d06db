// The front matter of a plan's file: `plan` (its id), `goal` and `constraints`. Other keys are kept as they are.

import type { PlanProblem } from '../plans.ts';
import { readList, readYamlText } from './values.ts';

export interface FrontMatter {
  /** The line after it; 0 without front matter. */
  readonly end: number;
  readonly plan: FrontValue | null;
  readonly goal: FrontValue | null;
  readonly constraints: readonly string[] | null;
  readonly problems: readonly PlanProblem[];
}

interface FrontValue {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

const FENCE = /^---[ \t]*$/;
const KEY = /^([A-Za-z_][\w-]*)([ \t]*:[ \t]*)(.*)$/;
const ITEM = /^[ \t]*-[ \t]+(.*)$/;

export function readFrontMatter(lines: readonly string[]): FrontMatter {
  const none = { end: 0, plan: null, goal: null, constraints: null, problems: [] };
  if (!FENCE.test((lines[0] ?? '').replace(/^\uFEFF/, ''))) return none;
  const last = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (last < 0)
    return {
      ...none,
      problems: [{ line: 1, column: 1, text: 'The front matter has no end: write a line “---” behind it.' }],
    };
  return { ...readKeys(lines, last), end: last + 1 };
}

function readKeys(lines: readonly string[], last: number): Omit<FrontMatter, 'end'> {
  const values = new Map<string, FrontValue>();
  const problems: PlanProblem[] = [];
  let constraints: string[] | null = null;
  let key: string | null = null;
  for (let line = 1; line < last; line += 1) {
    const match = KEY.exec(lines[line]!);
    if (match) {
      key = match[1]!;
      const column = key.length + match[2]!.length + 1;
      if (values.has(key) && isPlanKey(key))
        problems.push({
          line: line + 1,
          column: 1,
          text: `The front matter has “${key}” twice: keep one of them.`,
        });
      if (/^[|>]/.test(match[3]!) && isPlanKey(key))
        problems.push({
          line: line + 1,
          column,
          text: `Write “${key}” on one line, in double quotes if it has line breaks (\\n).`,
        });
      values.set(key, { line, column, text: match[3]! });
      if (key === 'constraints') constraints = readInline(match[3]!);
    } else if (key === 'constraints') {
      const item = ITEM.exec(lines[line]!)?.[1];
      if (item !== undefined) constraints!.push(readYamlText(item));
      else if (!/^\s*(#.*)?$/.test(lines[line]!))
        problems.push({
          line: line + 1,
          column: 1,
          text: 'A constraint begins with “- ”, on a line of its own.',
        });
    }
  }
  const read = (name: string) => {
    const value = values.get(name);
    return value ? { ...value, text: readYamlText(value.text) } : null;
  };
  return { plan: read('plan'), goal: read('goal'), constraints, problems };
}

function isPlanKey(key: string): boolean {
  return key === 'plan' || key === 'goal' || key === 'constraints';
}

/** `[a, b]`, or one constraint, or nothing if the lines that follow list them. */
function readInline(value: string): string[] {
  const text = readYamlText(value);
  if (text === '') return [];
  const list = /^\[(.*)\]$/.exec(text);
  return list ? [...readList(list[1]!)] : [text];
}
