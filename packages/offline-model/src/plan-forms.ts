// What the server says to a planner and to the agent of a plan's step. Several notes are a step each; a goal that has a form of
// the table is one step; any other goal is looked up in the workspace and then drafted. The goal of a content team is a campaign.

import { ENTITY_FORMS } from './entity-forms.ts';
import { FILE_FORMS, NOTES, notesIn, slugOf } from './file-forms.ts';
import { call, form, readClauses, type CallSteps, type Form, type Said, type Situation } from './forms.ts';
import { piecesOf, PLANS, planText } from './plan-texts.ts';
import { textOf } from './sentences.ts';
import { stockBody, stockPage } from './stock-texts.ts';

export const CLAUSE_FORMS: readonly Form[] = [...FILE_FORMS, ...ENTITY_FORMS];

const GOAL =
  /^Goal: (?<goal>[^]+?)\n\nWrite a plan for this goal into (?:the file `(?<file>\/content\/\S+\.md)`)?/;
const STEP =
  /^You carry out one step of a plan\.[^]*?\nGoal of the plan: (?<goal>.*)[^]*?\nYour step: (?<title>.*) \(\w+\)\n(?<rest>[^]*)$/;

const READY = { old_text: 'status: draft', new_text: 'status: ready' };

export const PLAN_FORMS: readonly Form[] = [
  form('A page about our product (as the goal of a plan)', GOAL, ({ goal: text = '', file }, situation) => {
    if (!situation.tools.has('write')) return null;
    const goal = text.replaceAll(/\s+/g, ' ').slice(0, 400);
    if (file !== undefined) return writeCampaign(file, goal);
    return [call('write', { path: `/plans/${slugOf(goal)}.plan`, content: planFor(goal, situation) })];
  }),
  form('Write a first draft (as a step of a plan)', STEP, stepCalls),
];

function planFor(goal: string, situation: Situation): string {
  const said = new RegExp(`^${NOTES}$`, 'i').exec(goal.replace(/[.!?\s]+$/, ''))?.groups;
  if (said) {
    const { parts, ...words } = notesIn(said);
    return planText(PLANS.notes, goal, parts, words);
  }
  const tools = new Set([...situation.tools, 'remove', 'move', 'exec']);
  const isOneStep = readClauses(CLAUSE_FORMS, goal, { ...situation, tools });
  return planText(isOneStep ? PLANS.one : PLANS.draft, goal);
}

/** Writes the plan of a campaign; beside the plan of an earlier one, if there is one. */
function writeCampaign(file: string, goal: string): CallSteps {
  const pieces = piecesOf(goal);
  return [
    call('glob', { pattern: file.replace(/\.md$/, '*.md') }),
    (outcomes) => {
      const isTaken = textOf(outcomes.at(-1)?.output).includes(file);
      const path = isTaken ? file.replace(/\.md$/, `-${pieces[0]!.slug}.md`) : file;
      return [{ tool: 'write', input: { path, content: planText(PLANS.campaign, goal, pieces) } }];
    },
  ];
}

/** The version that was checked is the one that a person is asked about. */
function publishPiece(piece: Said): CallSteps {
  return [
    call('check_content', piece),
    (outcomes) => {
      const checked = textOf(outcomes.at(-1)?.output);
      const version = /, version (\d+), can be published/.exec(checked)?.[1];
      if (version === undefined) return checked;
      return [{ tool: 'publish_content', input: { ...piece, version: Number(version) } }];
    },
  ];
}

function pieceText(goal: string, title: string, slug: string): string {
  const pieces = piecesOf(goal);
  const at = pieces.findIndex((piece) => piece.slug === slug);
  const about = `What to know about ${goal}, from the offline stand-in’s fixed stock of lines.`;
  const links = pieces
    .filter((piece) => at >= 0 && piece.slug !== slug)
    .map((piece) => `- [${piece.title.replaceAll(/[[\]\\]/g, ' ')}](${piece.slug}.md)\n`);
  return [
    `---\ntitle: ${JSON.stringify(/“(.+)”/.exec(title)?.[1] ?? title)}\n`,
    `description: ${JSON.stringify(about)}\nstatus: draft\n---\n\n`,
    stockBody(Math.max(0, at)),
    links.length > 0 ? '\n## Read on\n\n' : '',
    ...links,
  ].join('');
}

/**
 * A step of a campaign has its own calls, and so has a title that is a form of the table. Any other step writes what it is to
 * produce; without that, it reads what its inputs changed, or searches for the goal's longest word.
 */
function stepCalls({ goal = '', title = '', rest = '' }: Said, situation: Situation): CallSteps {
  const { tools } = situation;
  const produced = /(?:^|\n)It is to produce:\n((?:- .*\n?)+)/.exec(rest)?.[1] ?? '';
  const outputs = [...produced.matchAll(/^- (\/\S+)$/gm)].map((match) => match[1]!);
  const published = /^Publish (?<type>[a-z\d-]+)\/(?<slug>[a-z\d-]+)$/.exec(title)?.groups;
  if (published && tools.has('publish_content')) return publishPiece(published);
  const [path, slug = ''] = /^\/content\/[\w-]+\/([\w-]+)\.md$/.exec(outputs[0] ?? '') ?? [];
  if (path && title.startsWith('Edit ') && tools.has('edit'))
    return [call('read', { path }), call('edit', { path, edits: [READY] })];
  if (path && tools.has('write'))
    return [call('write', { path, content: pieceText(goal, title, slug) }, true)];
  const steps = readClauses(CLAUSE_FORMS, title, situation);
  if (steps) return steps;

  const changed = rest.match(/^It changed .*$/gm)?.join('\n') ?? '';
  const files = [...changed.matchAll(/(\/\S+) \(version/g)].map((match) => match[1]!);
  const sources = files.length === 0 ? '' : `\n${files.map((file) => `- ${file}`).join('\n')}\n`;
  if (outputs.length > 0 && tools.has('write'))
    return outputs.map((file, at) =>
      call('write', { path: file, content: stockPage(title, at) + sources }, true),
    );
  if (files.length > 0 && tools.has('read'))
    return files.slice(0, 8).map((file) => call('read', { path: file }));
  const words = goal.match(/\p{L}{4,}/gu) ?? [];
  const [longest] = words.toSorted((one, other) => other.length - one.length);
  if (longest === undefined || !tools.has('grep')) return null;
  return [call('grep', { pattern: longest, literal: true, ignore_case: true })];
}
