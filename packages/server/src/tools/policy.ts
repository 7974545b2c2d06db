// Judges a call: allow, ask or deny. Pure.
//
// - Within one list the last matching rule decides. If no rule of the workspace matches, a person is asked; if no rule of the
//   role matches, the workspace decides.
// - The stricter verdict of workspace and role wins: agents can write role files, so a role can only narrow what the
//   workspace allows.
// - Rules with `after: untrusted` are a list of their own, for calls of a model that has read untrusted content; where none of
//   them matches, they say nothing. So such a rule is not undone by a later rule that allows the tool in general.
// - A call that touches several paths is judged for each, and the strictest verdict wins: moving a file into an allowed
//   folder does not bypass the rule for its old path.

import { posix } from 'node:path';
import { schemas, type PolicyRule } from '@continuo/protocol';
import { globProblem, parseGlob, pathGlobProblem, type Glob } from '../compute/glob.ts';
import type { Tool } from './tool.ts';

export const policyRule = schemas.policyRule.superRefine(({ tool, path }, context) => {
  const problems = { tool: globProblem(tool), path: path === undefined ? null : pathGlobProblem(path) };
  for (const [key, problem] of Object.entries(problems))
    if (problem !== null) context.addIssue({ code: 'custom', path: [key], message: problem });
});

export interface JudgedCall {
  readonly tool: string;
  readonly effect: Tool['effect'];
  /** As `Tool.like`: a rule about that tool is a rule about this call, too. */
  readonly like?: string | undefined;
  /** As `Tool.paths` returns them. */
  readonly paths: readonly string[];
  /** Whether the model that makes the call has read untrusted content in this chat. */
  readonly afterUntrusted?: boolean;
}

export interface Verdict {
  readonly action: PolicyRule['action'];
  /** Which rule decided, in words for people and models. */
  readonly reason: string;
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

export interface Rules {
  readonly workspace: readonly PolicyRule[];
  readonly role: readonly PolicyRule[];
  /** Rules of the conversation's mode. */
  readonly mode?: readonly PolicyRule[];
}

export function judge(call: JudgedCall, { workspace, role, mode = [] }: Rules): Verdict {
  const by = (whose: string, rules: readonly (PolicyRule | null)[], unmatched: PolicyRule['action']) =>
    placesOf(call).map((place) => {
      const index = decisive(rules, call, place);
      const rule = rules[index];
      const on = place === null ? call.tool : `${call.tool} on ${place.path}`;
      return rule
        ? {
            action: rule.action,
            reason: `${whose}, rule ${index + 1} ${written(rule)}, says ${rule.action} for ${on}`,
          }
        : { action: unmatched, reason: `${whose} has no rule for ${on}` };
    });
  const usual = (rules: readonly PolicyRule[]) => only(rules, (rule) => rule.after === undefined);
  const after = (rules: readonly PolicyRule[]) => only(rules, (rule) => rule.after === 'untrusted');
  return [
    ...by('the workspace’s policy', usual(workspace), 'ask'),
    ...by('the role’s permissions', usual(role), 'allow'),
    ...by('the conversation’s mode', mode, 'allow'),
    ...(call.afterUntrusted
      ? [
          ...by('the workspace’s policy', after(workspace), 'allow'),
          ...by('the role’s permissions', after(role), 'allow'),
        ]
      : []),
  ].reduce((strictest, each) => (STRICTNESS[each.action] > STRICTNESS[strictest.action] ? each : strictest));
}

/** The list with holes for the other rules, so that a verdict names a rule by its place in the whole list. */
function only(
  rules: readonly PolicyRule[],
  isOne: (rule: PolicyRule) => boolean,
): readonly (PolicyRule | null)[] {
  return rules.map((rule) => (isOne(rule) ? rule : null));
}

/** A path as rules match it: absolute, normalised, in Unicode NFC. */
export function normalPath(path: string): string {
  const normal = posix.normalize(`/${path.normalize('NFC')}`);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

interface Place {
  readonly path: string;
  /** Whether the call also touches everything below the path. */
  readonly whole: boolean;
}

function placesOf({ paths }: JudgedCall): readonly (Place | null)[] {
  if (paths.length === 0) return [null];
  return paths.map((path) => ({ path: normalPath(path), whole: path.endsWith('/') }));
}

/** The index of the deciding rule; -1 if there is none. */
function decisive(rules: readonly (PolicyRule | null)[], call: JudgedCall, place: Place | null): number {
  let strictest = -1;
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const rule = rules[index];
    if (!rule) continue;
    if (rule.effect !== undefined && rule.effect !== call.effect) continue;
    const tool = parseGlob(rule.tool);
    if (!tool.matches(call.tool) && !(call.like !== undefined && tool.matches(call.like))) continue;
    const reach =
      rule.path === undefined ? 'all' : place === null ? 'none' : reachOf(parseGlob(rule.path), place);
    if (reach === 'none') continue;
    // If a rule matches only part of what the call touches, an earlier rule decides about the rest.
    if (strictest < 0 || STRICTNESS[rule.action] > STRICTNESS[rules[strictest]!.action]) strictest = index;
    if (reach === 'all') return strictest;
  }
  // No rule covers the rest, so an `allow` for a part is not enough.
  return strictest >= 0 && rules[strictest]!.action === 'allow' ? -1 : strictest;
}

function reachOf(glob: Glob, { path, whole }: Place): 'all' | 'part' | 'none' {
  if (!whole) return glob.matches(path) ? 'all' : 'none';
  if (glob.covers(path)) return 'all';
  return glob.reaches(path) ? 'part' : 'none';
}

function written({ action: _, ...when }: PolicyRule): string {
  return `(${Object.entries(when)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')})`;
}
