// What the server says to a planner and to the agent of a plan's step. Several notes are a step each; a goal that has a form of
// the table is one step; any other goal is looked up in the workspace and then drafted.

import { ENTITY_FORMS } from './entity-forms.ts';
import { FILE_FORMS, NOTES, notesIn, slugOf } from './file-forms.ts';
import { call, readClauses, type CallStep, type Form, type Said, type Situation } from './forms.ts';
import { stockPage } from './stock-texts.ts';

export const CLAUSE_FORMS: readonly Form[] = [...FILE_FORMS, ...ENTITY_FORMS];

export const PLAN_FORMS: readonly Form[] = [
  {
    example: 'A page about our product (as the goal of a plan)',
    pattern: /^Goal: (?<goal>[^]+?)\n\nWrite a plan for this goal\b/,
    steps: ({ goal: text = '' }, situation) => {
      const goal = text.replaceAll(/\s+/g, ' ').slice(0, 400);
      const front = ['---', `plan: ${slugOf(goal)}`, `goal: ${JSON.stringify(goal)}`, '---'].join('\n');
      const content = `${[front, ...stagesFor(goal, situation)].join('\n\n')}\n`;
      return situation.tools.has('write')
        ? [call('write', { path: `/plans/${slugOf(goal)}.plan`, content })]
        : null;
    },
  },
  {
    example: 'Write a first draft (as a step of a plan)',
    pattern:
      /^You carry out one step of a plan\.[^]*?\nGoal of the plan: (?<goal>.*)[^]*?\nYour step: (?<title>.*) \(\w+\)\n(?<rest>[^]*)$/,
    steps: (said, situation) =>
      readClauses(CLAUSE_FORMS, said['title'] ?? '', situation) ?? stepCalls(said, situation),
  },
];

const stage = (heading: string, steps: readonly string[]) => [`## ${heading}`, '', ...steps].join('\n');
const item = (id: string, title: string, details: Readonly<Record<string, string>>) =>
  [
    `- [ ] ${JSON.stringify(title)} {#${id}}`,
    ...Object.entries(details).map(([key, value]) => `  - ${key}: ${value}`),
  ].join('\n');

function stagesFor(goal: string, situation: Situation): readonly string[] {
  const notes = new RegExp(`^${NOTES}$`, 'i').exec(goal.replace(/[.!?\s]+$/, ''))?.groups;
  if (notes) return stagesOfNotes(notesIn(notes));
  const tools = new Set([...situation.tools, 'remove', 'move', 'exec']);
  if (readClauses(CLAUSE_FORMS, goal, { ...situation, tools }))
    return [stage('Work (sequence)', [item('work', goal, { intent: 'create', executor: 'coder' })])];
  const known = { intent: 'research', executor: 'research' };
  const draft = {
    intent: 'draft',
    executor: 'writer',
    inputs: 'known',
    outputs: `/drafts/${slugOf(goal)}.md`,
  };
  return [
    stage('Research (parallel)', [item('known', 'Collect what the workspace says about it', known)]),
    stage('Writing (sequence)', [item('draft', `Write a first draft: ${goal}`, draft)]),
  ];
}

function stagesOfNotes({ topic, file, calls }: ReturnType<typeof notesIn>): readonly string[] {
  const writer = { intent: 'draft', executor: 'writer' };
  const ids = calls.map((_, index) => `part-${index + 1}`);
  const steps = calls.map(({ input: { path: outputs } }, index) =>
    item(ids[index]!, `Write part ${index + 1} of ${calls.length} about ${topic}`, { ...writer, outputs }),
  );
  const last = { ...writer, inputs: ids.join(', '), outputs: `${file}.md` };
  const contents = item('contents', `Write the table of contents about ${topic}`, last);
  return [stage('Writing (parallel)', steps), stage('Collection (sequence)', [contents])];
}

/** Writes what the step is to produce; without that, reads what its inputs changed, or searches for the goal's longest word. */
function stepCalls(
  { goal = '', title = '', rest = '' }: Said,
  { tools }: Situation,
): readonly CallStep[] | null {
  const changed = rest.match(/^It changed .*$/gm)?.join('\n') ?? '';
  const files = [...changed.matchAll(/(\/\S+) \(version/g)].map((match) => match[1]!);
  const produced = /(?:^|\n)It is to produce:\n((?:- .*\n?)+)/.exec(rest)?.[1] ?? '';
  const outputs = [...produced.matchAll(/^- (\/\S+)$/gm)].map((match) => match[1]!);
  const sources = files.length === 0 ? '' : `\n${files.map((path) => `- ${path}`).join('\n')}\n`;
  if (outputs.length > 0 && tools.has('write'))
    return outputs.map((path, at) => call('write', { path, content: stockPage(title, at) + sources }, true));
  if (files.length > 0 && tools.has('read')) return files.slice(0, 8).map((path) => call('read', { path }));
  const words = goal.match(/\p{L}{4,}/gu) ?? [];
  const longest = words.toSorted((one, other) => other.length - one.length)[0];
  if (longest === undefined || !tools.has('grep')) return null;
  return [call('grep', { pattern: longest, literal: true, ignore_case: true })];
}
