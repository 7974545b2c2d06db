// What a planner is told: the goal, and the form of a plan's file.

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

export function planningMessage(goal: string): string {
  return [
    `Goal: ${goal}`,
    'Write a plan for this goal into a new file `/plans/<short-name>.plan`, with one call of `write`. Other agents carry the ' +
      'steps out after a person has approved the plan. Use as few steps as the goal needs; a goal that one agent reaches at once ' +
      'has one step. Executors are planner, research, writer, editor, tooling, or the name of a role. Steps of a parallel stage ' +
      'run at the same time; `inputs` are the steps whose results a step needs. The file has this form:',
    `\`\`\`\n${printPlan(EXAMPLE)}\n\`\`\``,
    'Then say in one or two sentences what the plan does.',
  ].join('\n\n');
}

export function repairMessage(problem: string | null): string {
  return problem === null
    ? 'No plan was written. Write it now, as a file in `/plans/` with the ending `.plan`.'
    : `The plan that was just written in /plans cannot run: ${problem}. Read the newest plan there and correct it with one change.`;
}
