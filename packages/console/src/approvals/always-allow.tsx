// Allows a kind of call from now on: shows a rule, then adds it to the end of the workspace's policy.

import { useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import { escapeHidden } from '../ui/hidden-characters.ts';
import { Visible } from '../ui/visible.tsx';
import type { Question } from './card.tsx';

type Rule = Awaited<ReturnType<typeof client.policies.get>>['rules'][number];

interface AlwaysAllowProps {
  readonly approval: Question;
  readonly busy: boolean;
  readonly allowed: () => void;
  readonly cancel: () => void;
}

export function AlwaysAllow({ approval, busy, allowed, cancel }: AlwaysAllowProps) {
  const rules = rulesFor(approval);
  const [chosen, setChosen] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const rule = rules[chosen]!.rule;
  // While the rule is being added, Escape does nothing.
  useEscape(adding ? () => undefined : null);
  const add = async () => {
    setAdding(true);
    try {
      await addRule(rule);
      allowed();
    } catch (error) {
      setProblem((error as Error).message);
      setAdding(false);
    }
  };
  return (
    <div className="mt-3 rounded-lg border bg-page p-3">
      <fieldset>
        <legend className="text-sm font-medium">Never ask again about</legend>
        {rules.map(({ words }, index) => (
          <label key={words} className="mt-1.5 flex items-baseline gap-2 text-sm">
            <input
              type="radio"
              name={`rule-${approval.id}`}
              checked={chosen === index}
              onChange={() => setChosen(index)}
              className="accent-accent"
            />
            <span className="min-w-0 break-words">
              <Visible text={words} />
            </span>
          </label>
        ))}
      </fieldset>
      <p className="mt-3 text-xs text-soft">This rule is added to the end of the workspace’s policy:</p>
      <code className="mt-1 block rounded-md border bg-sunken px-2.5 py-1.5 font-mono text-xs break-all">
        {escapeHidden(JSON.stringify(rule))}
      </code>
      {problem && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button kind="primary" disabled={busy || adding} onClick={() => void add()}>
          Add the rule and approve
        </Button>
        <Button disabled={busy || adding} onClick={cancel}>
          Back
        </Button>
      </div>
    </div>
  );
}

/** How many conflicting policy changes are retried before the error is shown. */
const TRIES = 5;

/** At the end, because the last matching rule decides. */
async function addRule(rule: Rule): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { rules, version } = await client.policies.get();
    if (JSON.stringify(rules.at(-1)) === JSON.stringify(rule)) return;
    try {
      await client.policies.set({ rules: [...rules, rule], version });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'policy_changed' || tries === TRIES) throw error;
    }
  }
}

/** Characters that would turn a path into a pattern, or that rules do not allow. */
const PATTERN = /[*?[\]{}]/;

function rulesFor({ tool, paths }: Question): { readonly words: string; readonly rule: Rule }[] {
  const one = paths.length === 1 && !PATTERN.test(paths[0]!) ? paths[0]! : null;
  return [
    ...(one === null
      ? []
      : [
          {
            words: `${tool} on ${one}`,
            rule: { tool, path: patternFor(tool, one), action: 'allow' as const },
          },
        ]),
    { words: `${tool}, with any input`, rule: { tool, action: 'allow' as const } },
  ];
}

/** Tools that write one file. Other tools may take a folder, so their rule covers everything in it. */
const FILE_TOOLS = ['write', 'edit'];

function patternFor(tool: string, path: string): string {
  return FILE_TOOLS.includes(tool) ? path : `${path}/**`;
}
