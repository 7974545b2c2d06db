// What the judge answers: criteria for a goal, and a verdict. Parsed strictly: an answer that does not parse is ignored.

import { z } from 'zod';
import { CRITERION_CHARACTERS, MOST_CRITERIA } from '@continuo/protocol';

/** Maximum number and length of a verdict's reasons. */
const REASONS = 10;
const REASON_CHARACTERS = 1000;

const criteriaAnswer = z.object({
  criteria: z.array(z.string().trim().min(1).max(CRITERION_CHARACTERS)).min(1).max(MOST_CRITERIA),
});

const verdictAnswer = z.object({
  verdict: z.enum(['met', 'not_met', 'impossible']),
  reasons: z.array(z.string()).min(1),
  unmet: z.array(z.int()).optional(),
});

export interface JudgedVerdict {
  readonly verdict: 'met' | 'not_met' | 'impossible';
  readonly reasons: readonly string[];
}

/** Null if the answer has no list of criteria. */
export function readCriteria(text: string | undefined): readonly string[] | null {
  const read = criteriaAnswer.safeParse(jsonIn(text));
  return read.success ? read.data.criteria : null;
}

/** Null if the answer has no verdict. A goal with an unmet criterion is not met, whatever else the answer says. */
export function readVerdict(text: string | undefined): JudgedVerdict | null {
  const read = verdictAnswer.safeParse(jsonIn(text));
  if (!read.success) return null;
  const { verdict, reasons, unmet = [] } = read.data;
  return {
    verdict: verdict === 'met' && unmet.length > 0 ? 'not_met' : verdict,
    reasons: reasons.slice(0, REASONS).map((reason) => reason.slice(0, REASON_CHARACTERS).toWellFormed()),
  };
}

/** The last JSON object in a text. */
function jsonIn(text = ''): unknown {
  const json = /\{[\s\S]*\}/.exec(text)?.[0];
  try {
    return json === undefined ? null : JSON.parse(json);
  } catch {
    return null;
  }
}
