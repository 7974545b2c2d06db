// Edits the workspace's policy. All rules are saved at once.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@continuo/client';
import { client, workspace } from '../data/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { Presets } from './presets.tsx';
import { CARD, FIELD, Section } from './section.tsx';

type PolicyRead = Awaited<ReturnType<typeof client.policies.get>>;
type Rule = PolicyRead['rules'][number];

const QUERY_KEY = ['policy'];
const EFFECTS = ['pure', 'idempotent', 'transactional', 'external'] as const;
const ACTIONS = [
  ['allow', 'Allow'],
  ['ask', 'Ask'],
  ['deny', 'Deny'],
] as const;

export function Policy() {
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => client.policies.get({ signal }),
    staleTime: 0,
  });
  return (
    <Section
      title="Policy"
      about="Which calls agents may make, must ask for, or may not make. The last rule that matches a call decides; a call that no rule matches needs approval."
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

interface StoredDraft {
  readonly base: PolicyRead;
  readonly rules: readonly Rule[];
}

let lastDraftId = 0;
const draftOf = (rule: Rule): Draft => ({ id: (lastDraftId += 1), rule });

/** The session storage key of unsaved changes. */
const STORAGE_KEY = `continuo-policy:${workspace}`;

function Editor({ policy }: { readonly policy: PolicyRead }) {
  const cache = useQueryClient();
  const [stored] = useState(
    () => JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as StoredDraft | null,
  );
  /** The policy that the changes are based on. */
  const [base, setBase] = useState(stored?.base ?? policy);
  const [seen, setSeen] = useState(policy.version);
  const [rules, setRules] = useState(() => (stored?.rules ?? policy.rules).map(draftOf));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const [summary, setSummary] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const dirty = JSON.stringify(rules.map(({ rule }) => rule)) !== JSON.stringify(base.rules);
  const outdated = policy.version !== base.version;
  useEffect(() => {
    const changed: StoredDraft = { base, rules: rules.map(({ rule }) => rule) };
    if (dirty) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(changed));
    else sessionStorage.removeItem(STORAGE_KEY);
  }, [base, rules, dirty]);
  const saving = useRef<HTMLButtonElement>(null);
  const adopt = () => {
    setBase(policy);
    change(policy.rules.map(draftOf));
  };
  const discard = () => {
    adopt();
    // The pressed button disappears.
    saving.current?.focus();
  };
  const change = (next: Draft[]) => {
    setRules(next);
    setProblems(new Map());
    setSummary(null);
  };
  const move = (index: number, by: number) => {
    const next = [...rules];
    const [moved] = next.splice(index, 1);
    next.splice(index + by, 0, moved!);
    change(next);
  };
  // Without local changes, a policy saved elsewhere is shown at once.
  if (policy.version !== seen) {
    setSeen(policy.version);
    if (outdated && !dirty) adopt();
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
      cache.setQueryData(QUERY_KEY, answer);
    } catch (error) {
      void cache.invalidateQueries({ queryKey: QUERY_KEY });
      const found = problemsIn(error);
      setProblems(found);
      setSummary(found.size === 0 ? (error as Error).message : `Not saved: ${count(found.size)}.`);
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
      <Presets
        rules={rules.map(({ rule }) => rule)}
        choose={(next) => change(next.map((rule) => draftOf(rule as Rule)))}
      />
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
        {rules.length === 0 && <li className="px-4 py-3 text-soft">No rules: every call needs approval.</li>}
      </ol>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button onClick={() => change([...rules, draftOf({ tool: '*', action: 'ask' })])}>
          <Plus className="size-4" aria-hidden="true" /> Add a rule
        </Button>
        <span className="mr-auto min-w-0 text-sm">
          {summary ? (
            <span role="alert" className="text-bad">
              {summary}
            </span>
          ) : (
            dirty && (
              <span className={outdated ? 'text-warn' : 'text-soft'}>
                {outdated
                  ? 'Someone else changed the policy: discard your changes to see theirs'
                  : 'Not saved yet'}
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
      {rule.after && (
        <span className="col-span-full text-xs text-soft">
          Only once the model has read untrusted content; judged apart from the other rules.
        </span>
      )}
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

/** The server's validation errors, by path, such as `rules[2].tool`. */
function problemsIn(error: unknown): ReadonlyMap<string, string> {
  const errors = error instanceof ApiError ? error.problem.errors : null;
  if (!Array.isArray(errors)) return new Map();
  return new Map((errors as { path: string; message: string }[]).map(({ path, message }) => [path, message]));
}

function count(found: number): string {
  return found === 1 ? '1 field is not valid' : `${found} fields are not valid`;
}
