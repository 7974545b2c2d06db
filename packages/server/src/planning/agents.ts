// The mode parallel_agents: the agents that a person names work at the same time, each on its own brief, and one step merges their
// results. The server writes this as an ordinary plan: a parallel stage with a step for each agent, and a stage that merges.

import { printPlan, type AgentPlan, type PlanStep } from '@continuo/protocol';
import type { FilePath } from '../files/paths.ts';
import { inputText, type StepInput } from './step-message.ts';

export interface NamedAgent {
  readonly role: string;
  readonly brief: string;
}

/** The step that merges the agents' results. */
export const MERGE = 'merge';
/** Maximum characters of a goal and of a title in a plan's file. */
const GOAL_CHARACTERS = 4000;
const TITLE_CHARACTERS = 500;

const NOTES = `Notes of the agents for each other; they change nothing about the plan:
`;

/** The path of the plan that a run's agents work on. It belongs to that run, so a second attempt finds it. */
export function agentsPlanPath(runId: string): FilePath {
  const path = `/plans/agents-${runId}.plan`;
  return { path, folded: path };
}

export function agentsPlanFile(goal: string, agents: readonly NamedAgent[], lead: string): string {
  const steps = agents.map(({ role, brief }, index): PlanStep => ({
    id: agentStep(index),
    title: oneLine(brief, TITLE_CHARACTERS),
    intent: 'create',
    executor: role,
  }));
  const merge: PlanStep = {
    id: MERGE,
    title: 'Merge the results of all agents',
    intent: 'review',
    executor: lead,
    inputs: steps.map(({ id }) => id),
  };
  const plan: AgentPlan = {
    id: 'agents',
    goal: oneLine(goal, GOAL_CHARACTERS),
    stages: [
      { id: 'agents', name: 'Agents', mode: 'parallel', steps },
      { id: 'merging', name: 'Merging', mode: 'sequence', steps: [merge] },
    ],
  };
  return `${printPlan(plan)}\n${NOTES}`;
}

const agentStep = (index: number) => `agent-${index + 1}`;

function oneLine(text: string, most: number): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, most).toWellFormed();
}

interface AgentMessageInput {
  readonly goal: string;
  readonly path: string;
  readonly step: PlanStep;
  readonly agents: readonly NamedAgent[];
  readonly inputs: readonly StepInput[];
}

/** The message of an agent, or of the role that merges the results. */
export function agentMessage({ goal, path, step, agents, inputs }: AgentMessageInput): string {
  const index = agents.findIndex((_, at) => agentStep(at) === step.id);
  const agent = agents[index];
  if (!agent) return mergeMessage(goal, inputs);
  const others = agents.flatMap((each, at) =>
    at === index ? [] : [`- ${each.role}: ${oneLine(each.brief, TITLE_CHARACTERS)}`],
  );
  return [
    `Your brief: ${agent.brief}`,
    `You are one of ${agents.length} agents that work at the same time. The goal of all: ${goal}`,
    `The others work on these briefs; do only yours:\n${others.join('\n')}`,
    `All of you share the workspace and the plan ${path}, whose boxes show who is done. Read the newest version of a file before you change ` +
      'it; if somebody else has changed it meanwhile, keep both changes. If others need to know something before you are done, add a line to the ' +
      'notes at the end of the plan’s file, and read them before you finish. Do not change the rest of that file.',
    'End with a short report: what you did, what you found, which files you changed, and what is left open.',
  ].join('\n\n');
}

function mergeMessage(goal: string, inputs: readonly StepInput[]): string {
  return [
    `Goal: ${goal}`,
    `${inputs.length} agents have worked on it at the same time. These are their results:`,
    ...inputs.map(inputText),
    'Merge them: read the newest versions of the files that they changed, mend what contradicts or repeats, and answer the goal in one text. Say ' +
      'what is left open.',
  ].join('\n\n');
}
