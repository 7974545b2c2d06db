// Allows a kind of call from now on: a rule at the end of the workspace's policy, shown before it is added.

import { useState } from 'react';
import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import { plainJson } from '../ui/hidden.ts';
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
  // What is being added is waited for.
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
        {plainJson(JSON.stringify(rule))}
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

/** How often the policy may change under us before we say so. */
const TRIES = 5;

/** At the end: the last rule that matches decides. */
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

/** Signs that would make a path a pattern for more than itself, or that rules refuse. */
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
    { words: `${tool}, whatever it is called with`, rule: { tool, action: 'allow' as const } },
  ];
}

/** Tools that write one file. Others may take a folder, and ask about everything that may be in it. */
const FILE_TOOLS = ['write', 'edit'];

function patternFor(tool: string, path: string): string {
  return FILE_TOOLS.includes(tool) ? path : `${path}/**`;
}
