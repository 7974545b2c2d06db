// The options of a mode besides the goal: who assigns the work, how to tell that the goal is met, and limits. Each has a default.

import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { client } from '../data/client.ts';
import { useRoles } from '../data/queries.ts';
import { Labelled } from '../settings/labelled.tsx';
import { FIELD } from '../settings/section.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import {
  LEAST_AGENTS,
  MOST_AGENTS,
  modeName,
  type BriefedAgent,
  type LimitName,
  type Mode,
  type ModeChoice,
} from './mode.ts';

interface ModeOptionsProps {
  readonly choice: ModeChoice;
  readonly change: (change: Partial<ModeChoice>) => void;
}

type ConductedMode = Exclude<Mode, 'chat_mode'>;

const NEXT: Record<ConductedMode, string> = {
  plan_then_execute: 'The plan waits for your approval before anything is done. You can edit it first.',
  parallel_agents: 'The agents coordinate through a plan that you can watch.',
  autonomous: 'It continues when you close this page. Calls that need approval still wait for you.',
};

export function ModeOptions({ choice, change }: ModeOptionsProps) {
  const { mode } = choice;
  if (mode === '' || mode === 'chat_mode') return null;
  return (
    <section
      aria-label={`Options: ${modeName(mode)}`}
      className="mx-3 my-2 space-y-4 rounded-xl border bg-panel p-3 text-sm"
    >
      <p className="text-soft">{NEXT[mode]}</p>
      {mode === 'parallel_agents' && (
        <Agents agents={choice.agents} change={(agents) => change({ agents })} />
      )}
      {mode === 'autonomous' && <DoneWhen choice={choice} change={change} />}
      <Limits mode={mode} limits={choice.limits} change={(limits) => change({ limits })} />
    </section>
  );
}

const NEW_AGENT: BriefedAgent = { role: 'assistant', brief: '' };

function Agents({
  agents,
  change,
}: {
  readonly agents: readonly BriefedAgent[];
  readonly change: (agents: readonly BriefedAgent[]) => void;
}) {
  const name = useId();
  const { data: roles = [] } = useRoles();
  const isNamed = agents.length > 0;
  const put = (index: number, part: Partial<BriefedAgent>) =>
    change(agents.map((agent, place) => (place === index ? { ...agent, ...part } : agent)));
  const choices = [
    ['assistant', 'assistant'] as const,
    ...roles.map((role) => [role.name, role.name] as const),
  ];
  return (
    <fieldset>
      <legend className="font-medium">Who assigns the work?</legend>
      <div className="mt-1.5 space-y-1">
        <Radio name={name} checked={!isNamed} choose={() => change([])}>
          A planner divides the goal, and I approve its plan
        </Radio>
        <Radio name={name} checked={isNamed} choose={() => change(Array(LEAST_AGENTS).fill(NEW_AGENT))}>
          I do: the agents start at once
        </Radio>
      </div>
      {isNamed && (
        <>
          <ol className="mt-3 space-y-3">
            {agents.map((agent, index) => (
              <li key={index} className="rounded-lg border bg-raised p-2.5">
                <div className="mb-1.5 flex items-center gap-2">
                  <span className="text-xs font-medium text-soft">Agent {index + 1}</span>
                  <Select
                    label={`Role of agent ${index + 1}`}
                    value={agent.role}
                    choose={(role) => put(index, { role })}
                    choices={[...new Map(choices)]}
                    className="[&_select]:!py-1 [&_select]:!text-xs"
                  />
                  {agents.length > LEAST_AGENTS && (
                    <IconButton
                      label={`Remove agent ${index + 1}`}
                      className="ml-auto !size-7"
                      onClick={() => change(agents.filter((_, place) => place !== index))}
                    >
                      <X />
                    </IconButton>
                  )}
                </div>
                <textarea
                  aria-label={`Brief of agent ${index + 1}`}
                  rows={2}
                  value={agent.brief}
                  placeholder="What this agent is to do"
                  onChange={(event) => put(index, { brief: event.target.value })}
                  className={`${FIELD} block field-sizing-content max-h-40 resize-none`}
                />
              </li>
            ))}
          </ol>
          {agents.length < MOST_AGENTS && (
            <Button
              kind="quiet"
              className="mt-1 !px-2 !py-1 !text-xs"
              onClick={() => change([...agents, NEW_AGENT])}
            >
              <Plus className="size-3.5" aria-hidden="true" /> Add an agent
            </Button>
          )}
        </>
      )}
    </fieldset>
  );
}

interface RadioProps {
  readonly name: string;
  readonly checked: boolean;
  readonly choose: () => void;
  readonly children: string;
}

function Radio({ name, checked, choose, children }: RadioProps) {
  return (
    <label className="flex items-start gap-2">
      <input type="radio" name={name} checked={checked} onChange={choose} className="mt-1 accent-accent" />
      {children}
    </label>
  );
}

function DoneWhen({ choice, change }: ModeOptionsProps) {
  const { data: sandbox } = useQuery({
    queryKey: ['sandbox'],
    queryFn: ({ signal }) => client.executions.sandbox({ signal }),
  });
  return (
    <div className="space-y-3">
      <Labelled
        label="The goal is met when"
        hint="One criterion per line; a judge decides. If empty, the judge derives them."
      >
        {(id) => (
          <textarea
            id={id}
            rows={2}
            value={choice.criteria}
            placeholder="Each answer names its source."
            onChange={(event) => change({ criteria: event.target.value })}
            className={`${FIELD} block field-sizing-content max-h-40 resize-none`}
          />
        )}
      </Labelled>
      {sandbox?.usable === false ? (
        <p className="text-xs text-soft">
          A check command needs the sandbox, which this server does not have: {sandbox.reason}.
        </p>
      ) : (
        <Labelled label="And this command succeeds" hint="Optional; runs in the sandbox, on your files.">
          {(id) => (
            <input
              id={id}
              value={choice.check}
              placeholder="test -s docs/faq.md"
              spellCheck={false}
              autoCapitalize="off"
              onChange={(event) => change({ check: event.target.value })}
              onKeyDown={stayInForm}
              className={`${FIELD} font-mono`}
            />
          )}
        </Labelled>
      )}
    </div>
  );
}

/** Enter in a field does not send the message. */
function stayInForm(event: React.KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault();
}

const LIMITS: readonly { readonly name: LimitName; readonly label: string; readonly step: string }[] = [
  { name: 'minutes', label: 'Minutes', step: 'any' },
  { name: 'cost', label: 'US dollars', step: 'any' },
  { name: 'tokens', label: 'Tokens', step: '1' },
  { name: 'steps', label: 'Model calls', step: '1' },
];
const AUTONOMOUS: Record<LimitName, string> = {
  minutes: '240',
  cost: 'none',
  tokens: '2000000',
  steps: '200',
};

function Limits({
  mode,
  limits,
  change,
}: {
  readonly mode: ConductedMode;
  readonly limits: ModeChoice['limits'];
  readonly change: (limits: ModeChoice['limits']) => void;
}) {
  const isSet = Object.values(limits).some((value) => value !== '');
  return (
    <details open={isSet || undefined}>
      <summary className="font-medium">
        Stop at{' '}
        <span className="font-normal text-soft">
          {isSet
            ? 'your limits'
            : mode === 'autonomous'
              ? '4 hours, 2 million tokens or 200 model calls'
              : 'no limit set'}
        </span>
      </summary>
      <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {LIMITS.map(({ name, label, step }) => (
          <Labelled key={name} label={label}>
            {(id) => (
              <input
                id={id}
                type="number"
                inputMode="decimal"
                min={0}
                step={step}
                value={limits[name]}
                placeholder={mode === 'autonomous' ? AUTONOMOUS[name] : 'none'}
                onChange={(event) => change({ ...limits, [name]: event.target.value })}
                onKeyDown={stayInForm}
                className={`${FIELD} tabular-nums`}
              />
            )}
          </Labelled>
        ))}
      </div>
      <p className="mt-1.5 text-xs text-soft">For all its agents together. Empty fields: the default.</p>
    </details>
  );
}
