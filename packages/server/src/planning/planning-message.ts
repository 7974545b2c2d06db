// What a planner is told: the goal, the form of a plan's file, and the team that it plans for, if it leads one.

import { printPlan, type AgentPlan } from '@continuo/protocol';

const EXAMPLE: AgentPlan = {
  id: 'example',
  goal: 'A page about the product that a newcomer understands',
  stages: [
    {
      id: 'research',
      name: 'Research',
      mode: 'parallel',
      steps: [
        {
          id: 'facts',
          title: 'Collect the facts about the product',
          intent: 'research',
          executor: 'research',
        },
        { id: 'readers', title: 'Find out what newcomers ask', intent: 'research', executor: 'research' },
      ],
    },
    {
      id: 'writing',
      name: 'Writing',
      mode: 'sequence',
      steps: [
        {
          id: 'draft',
          title: 'Write the page',
          intent: 'draft',
          executor: 'writer',
          inputs: ['facts', 'readers'],
          outputs: ['/docs/product.md'],
        },
        { id: 'review', title: 'Edit the page', intent: 'edit', executor: 'editor', inputs: ['draft'] },
      ],
    },
  ],
};

/** The team of a lead that plans. */
export interface PlanningTeam {
  /** Where the lead writes the plan. */
  readonly plan: string;
  /** The roles that may carry steps out, with what they are for. */
  readonly members: readonly { readonly name: string; readonly description: string | null }[];
  /** How the team works. */
  readonly text: string;
}

export function planningMessage(goal: string, team: PlanningTeam | null = null, atOnce = false): string {
  return [
    `Goal: ${goal}`,
    `${team ? whereOf(team) : WHERE} Other agents carry the ` +
      'steps out after a person has approved the plan. Use as few steps as the goal needs; a goal that one agent reaches at once ' +
      `has one step. ${team ? 'Executors are the roles of your team.' : EXECUTORS} Steps of a parallel stage ` +
      'run at the same time; `inputs` are the steps whose results a step needs. The file has this form:',
    `\`\`\`\n${printPlan(EXAMPLE)}\n\`\`\``,
    ...(team ? [teamText(team)] : []),
    ...(atOnce ? [AT_ONCE] : []),
    'Then say in one or two sentences what the plan does.',
  ].join('\n\n');
}

const AT_ONCE =
  'Several roles are to work at the same time. Divide the goal into parts that do not wait for each other, 2 to 8, in one parallel stage, ' +
  'each for the role that suits it best; then one step that has all of them as inputs and merges their results.';
const WHERE =
  'Write a plan for this goal into a new file `/plans/<short-name>.plan`, with one call of `write`.';
const EXECUTORS = 'Executors are planner, research, writer, editor, tooling, or the name of a role.';

function whereOf({ plan }: PlanningTeam): string {
  return (
    `Write a plan for this goal into the file \`${plan}\`, with one call of \`write\`. If that file is the plan of ` +
    'something else, write a new file beside it.'
  );
}

function teamText({ members, text }: PlanningTeam): string {
  const lines = members.map(({ name, description }) => `- ${name}${description ? `: ${description}` : ''}`);
  return [`Your team:\n${lines.join('\n')}`, ...(text ? [`How your team works:\n\n${text}`] : [])].join(
    '\n\n',
  );
}

export function repairMessage(problem: string | null, team: PlanningTeam | null = null): string {
  const folder = team ? team.plan.slice(0, team.plan.lastIndexOf('/')) : '/plans';
  if (problem !== null)
    return `The plan that was just written in ${folder} cannot run: ${problem}. Read the newest plan there and correct it with one change.`;
  const file = team ? `the file \`${team.plan}\`` : 'a file in `/plans/` with the ending `.plan`';
  return `No plan was written. Write it now, as ${file}.`;
}
