// The workspace's policy: rules in the order in which they are read, to be changed as a whole.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client, workspace } from '../data/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { CARD, FIELD, Section } from './section.tsx';

type PolicyRead = Awaited<ReturnType<typeof client.policies.get>>;
type Rule = PolicyRead['rules'][number];

const KEY = ['policy'];
const EFFECTS = ['pure', 'idempotent', 'transactional', 'external'] as const;
const ACTIONS = [
  ['allow', 'Allow'],
  ['ask', 'Ask'],
  ['deny', 'Deny'],
] as const;

export function Policy() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => client.policies.get({ signal }),
    staleTime: 0,
  });
  return (
    <Section
      title="Policy"
      about="What agents may do, must ask for, or may not. The last rule that matches a call decides; what none matches is asked."
      query={query}
    >
      {(policy) => <Editor policy={policy} />}
    </Section>
  );
}

interface Draft {
  readonly id: number;
  readonly rule: Rule;
}

interface Kept {
  readonly base: PolicyRead;
  readonly rules: readonly Rule[];
}

let drafts = 0;
const draftOf = (rule: Rule): Draft => ({ id: (drafts += 1), rule });

/** Where what was changed and not saved is kept for the tab. */
const KEPT = `continuo-policy:${workspace}`;

function Editor({ policy }: { readonly policy: PolicyRead }) {
  const cache = useQueryClient();
  const [kept] = useState(() => JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as Kept | null);
  /** What was changed here is a change of this. */
  const [base, setBase] = useState(kept?.base ?? policy);
  const [seen, setSeen] = useState(policy.version);
  const [rules, setRules] = useState(() => (kept?.rules ?? policy.rules).map(draftOf));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [general, setGeneral] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const dirty = JSON.stringify(rules.map(({ rule }) => rule)) !== JSON.stringify(base.rules);
  const behind = policy.version !== base.version;
  useEffect(() => {
    const changed: Kept = { base, rules: rules.map(({ rule }) => rule) };
    if (dirty) sessionStorage.setItem(KEPT, JSON.stringify(changed));
    else sessionStorage.removeItem(KEPT);
  }, [base, rules, dirty]);
  const saving = useRef<HTMLButtonElement>(null);
  const takeOver = () => {
    setBase(policy);
    change(policy.rules.map(draftOf));
  };
  const discard = () => {
    takeOver();
    // What was pressed goes away.
    saving.current?.focus();
  };
  const change = (next: Draft[]) => {
    setRules(next);
    setProblems(new Map());
    setGeneral(null);
  };
  const move = (index: number, by: number) => {
    const next = [...rules];
    const [moved] = next.splice(index, 1);
    next.splice(index + by, 0, moved!);
    change(next);
  };
  // What was saved elsewhere while nothing was changed here is shown at once.
  if (policy.version !== seen) {
    setSeen(policy.version);
    if (behind && !dirty) takeOver();
  }
  const save = async () => {
    setBusy(true);
    try {
      const answer = await client.policies.set({
        rules: rules.map(({ rule }) => rule),
        version: base.version,
      });
      setBase(answer);
      setRules((now) => (now === rules ? answer.rules.map(draftOf) : now));
      cache.setQueryData(KEY, answer);
    } catch (error) {
      void cache.invalidateQueries({ queryKey: KEY });
      const found = problemsIn(error);
      setProblems(found);
      setGeneral(found.size === 0 ? (error as Error).message : `Not saved: ${count(found.size)}.`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      aria-label="Policy"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <ol className={CARD} aria-label="Rules">
        {rules.map(({ id, rule }, index) => (
          <RuleRow
            key={id}
            rule={rule}
            number={index + 1}
            last={index === rules.length - 1}
            problem={(key) => problems.get(`rules[${index}].${key}`) ?? null}
            change={(next) => change(rules.with(index, { id, rule: next }))}
            move={(by) => move(index, by)}
            remove={() => change(rules.toSpliced(index, 1))}
          />
        ))}
        {rules.length === 0 && <li className="px-4 py-3 text-soft">No rule: every call is asked about.</li>}
      </ol>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button onClick={() => change([...rules, draftOf({ tool: '*', action: 'ask' })])}>
          <Plus className="size-4" aria-hidden="true" /> Add a rule
        </Button>
        <span className="mr-auto min-w-0 text-sm">
          {general ? (
            <span role="alert" className="text-bad">
              {general}
            </span>
          ) : (
            dirty && (
              <span className={behind ? 'text-warn' : 'text-soft'}>
                {behind ? 'Changed by somebody else meanwhile: discard yours to see it' : 'Not saved yet'}
              </span>
            )
          )}
        </span>
        {dirty && <Button onClick={discard}>Discard</Button>}
        <Button ref={saving} kind="primary" type="submit" disabled={!dirty || busy}>
          Save
        </Button>
      </div>
    </form>
  );
}

interface RuleRowProps {
  readonly rule: Rule;
  readonly number: number;
  readonly last: boolean;
  readonly problem: (key: string) => string | null;
  readonly change: (rule: Rule) => void;
  readonly move: (by: number) => void;
  readonly remove: () => void;
}

function RuleRow({ rule, number, last, problem, change, move, remove }: RuleRowProps) {
  const { path: _path, ...pathless } = rule;
  const { effect: _effect, ...effectless } = rule;
  return (
    <li className="grid grid-cols-2 items-start gap-2 px-3 py-2 sm:grid-cols-[6rem_minmax(0,1fr)_minmax(0,1.3fr)_8.5rem_auto]">
      <Select
        label={`Rule ${number}: action`}
        className="w-full"
        value={rule.action}
        choices={ACTIONS}
        choose={(action) => change({ ...rule, action: action as Rule['action'] })}
      />
      <Field
        label={`Rule ${number}: tool`}
        placeholder="Tool, or *"
        value={rule.tool}
        problem={problem('tool')}
        change={(tool) => change({ ...rule, tool })}
      />
      <Field
        label={`Rule ${number}: path`}
        placeholder="Any path"
        value={rule.path ?? ''}
        problem={problem('path')}
        change={(path) => change(path === '' ? pathless : { ...rule, path })}
      />
      <Select
        label={`Rule ${number}: effect`}
        className="w-full"
        value={rule.effect ?? ''}
        choices={[['', 'Any effect'], ...EFFECTS.map((effect) => [effect, effect] as const)]}
        choose={(effect) =>
          change(effect === '' ? effectless : { ...rule, effect: effect as (typeof EFFECTS)[number] })
        }
      />
      <span className="flex justify-end max-sm:col-span-2">
        <IconButton label={`Move rule ${number} up`} disabled={number === 1} onClick={() => move(-1)}>
          <ArrowUp />
        </IconButton>
        <IconButton label={`Move rule ${number} down`} disabled={last} onClick={() => move(1)}>
          <ArrowDown />
        </IconButton>
        <IconButton label={`Remove rule ${number}`} onClick={remove}>
          <Trash2 />
        </IconButton>
      </span>
    </li>
  );
}

interface FieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly problem: string | null;
  readonly change: (value: string) => void;
}

function Field({ label, placeholder, value, problem, change }: FieldProps) {
  return (
    <div className="min-w-0">
      <input
        aria-label={label}
        aria-invalid={problem !== null}
        placeholder={placeholder}
        value={value}
        onChange={(event) => change(event.target.value)}
        className={`${FIELD} font-mono !text-[0.8125rem]`}
      />
      {problem && <p className="mt-1 text-xs text-bad">{problem}</p>}
    </div>
  );
}

/** What the server finds wrong, by where it is: `rules[2].tool`. */
function problemsIn(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof ApiError ? error.problem.errors : null;
  if (!Array.isArray(errors)) return new Map();
  return new Map((errors as { path: string; message: string }[]).map(({ path, message }) => [path, message]));
}

function count(found: number): string {
  return found === 1 ? 'something is wrong' : `${found} things are wrong`;
}
