// The mode of a new chat: what the person chose, and what the server is asked for.

import type { client } from '../data/client.ts';

type NewChat = Parameters<typeof client.chats.open>[0];
export type Mode = NonNullable<NewChat['mode']>;
type Limits = NonNullable<NewChat['limits']>;

export interface BriefedAgent {
  readonly role: string;
  readonly brief: string;
}

/** Texts of fields; an empty one stands for the server's default. */
export interface ModeChoice {
  /** Empty: the default of the role. */
  readonly mode: Mode | '';
  /** For parallel agents. Empty: a planner divides the goal. */
  readonly agents: readonly BriefedAgent[];
  /** For an autonomous chat: a command, and criteria, one per line. */
  readonly check: string;
  readonly criteria: string;
  readonly limits: { readonly [name in LimitName]: string };
}

export type LimitName = 'minutes' | 'cost' | 'tokens' | 'steps';

export const DEFAULT_MODE: ModeChoice = {
  mode: '',
  agents: [],
  check: '',
  criteria: '',
  limits: { minutes: '', cost: '', tokens: '', steps: '' },
};

export const LEAST_AGENTS = 2;
export const MOST_AGENTS = 8;

export const MODES: readonly { readonly value: Mode; readonly name: string; readonly about: string }[] = [
  {
    value: 'chat_mode',
    name: 'Chat',
    about: 'Answers, uses tools, and waits for your next message.',
  },
  {
    value: 'plan_then_execute',
    name: 'Plan, then execute',
    about: 'Writes a plan that you edit and approve; then agents carry it out step by step.',
  },
  {
    value: 'parallel_agents',
    name: 'Parallel agents',
    about: 'Several agents work at the same time, and their results are merged.',
  },
  {
    value: 'autonomous',
    name: 'Autonomous',
    about: 'Works in rounds without you, until the goal is met or a limit is reached.',
  },
];

export function modeName(mode: Mode): string {
  return MODES.find(({ value }) => value === mode)?.name ?? mode;
}

/** The fields of the request. Throws an error for the person if something is missing. */
export function modeFields(choice: ModeChoice): Pick<NewChat, 'mode' | 'agents' | 'done_when' | 'limits'> {
  const { mode } = choice;
  if (mode === '' || mode === 'chat_mode') return mode === '' ? {} : { mode };
  const limits = limitsOf(choice.limits);
  return {
    mode,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(mode === 'parallel_agents' && choice.agents.length > 0 && { agents: agentsOf(choice.agents) }),
    ...(mode === 'autonomous' && doneWhen(choice)),
  };
}

function agentsOf(agents: readonly BriefedAgent[]): BriefedAgent[] {
  const empty = agents.findIndex(({ brief }) => brief.trim() === '');
  if (empty !== -1) throw new Error(`Say what agent ${empty + 1} is to do, or remove it.`);
  return agents.map(({ role, brief }) => ({ role, brief: brief.trim() }));
}

function doneWhen({ check, criteria }: ModeChoice): Pick<NewChat, 'done_when'> {
  const lines = criteria
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (check.trim() === '' && lines.length === 0) return {};
  return {
    done_when: {
      ...(check.trim() !== '' && { check: check.trim() }),
      ...(lines.length > 0 && { criteria: lines }),
    },
  };
}

function limitsOf({ minutes, cost, tokens, steps }: ModeChoice['limits']): Limits {
  const limits = {
    seconds: minutes === '' ? undefined : Math.round(Number(minutes) * 60),
    cost: cost === '' ? undefined : Number(cost),
    tokens: tokens === '' ? undefined : Number(tokens),
    steps: steps === '' ? undefined : Number(steps),
  };
  const wrong = Object.entries(limits).find(([, value]) => value !== undefined && !(value > 0));
  if (wrong) throw new Error('A limit must be greater than 0; leave it empty for the default.');
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
