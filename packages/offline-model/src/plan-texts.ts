// The plans that the offline model writes: a table of stages and steps, which the words of a goal are put into.

import { slugOf } from './file-forms.ts';
import type { Said } from './forms.ts';
import { capitalised } from './stock-texts.ts';

/**
 * A step is its id, title, intent, executor, inputs and outputs. With `{n}` there is one for each part of the plan, and `x-*` are the
 * ids of all those.
 */
export const PLANS = {
  one: `
## Work (sequence)
work | {goal} | create | coder`,
  draft: `
## Research (parallel)
known | Collect what the workspace says about it | research | research
## Writing (sequence)
draft | Write a first draft: {goal} | draft | writer | known | /drafts/{slug}.md`,
  notes: `
## Writing (parallel)
part-{n} | Write part {n} of {count} about {topic} | draft | writer | | {path}
## Collection (sequence)
contents | Write the table of contents about {topic} | draft | writer | part-* | {file}.md`,
  campaign: `
## Research (parallel)
facts | Collect the facts about {goal} | research | researcher
questions | Find what readers ask about {goal} | research | seo-specialist
## Writing (parallel)
draft-{n} | Write “{title}” | draft | writer | facts, questions | /content/articles/{slug}.md
## Editing (parallel)
edit-{n} | Edit “{title}” | edit | editor | draft-{n} | /content/articles/{slug}.md
## Review (sequence)
review | Review all pieces | review | reviewer | edit-*
## Publishing (sequence)
publish-{n} | Publish articles/{slug} | update | content-strategist | review`,
};
const DETAILS = ['intent', 'executor', 'inputs', 'outputs'];

/** The file of a plan of the table. */
export function planText(plan: string, goal: string, parts: readonly Said[] = [], words: Said = {}): string {
  const all = (_: string, name: string) => parts.map((_part, index) => `${name}-${index + 1}`).join(', ');
  const stepText = (row: string, values: Said): readonly string[] => {
    const cells = row.split(/ *\| */).map((cell) => cell.replace(/(\w+)-\*/, all));
    const fill = (cell: string) => cell.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
    const [id = '', title = '', ...details] = cells.map(fill);
    const given = details.flatMap((text, at) => (text ? [`  - ${DETAILS[at]}: ${text}`] : []));
    return [`- [ ] ${JSON.stringify(title)} {#${id}}`, ...given];
  };
  const common = { goal, slug: slugOf(goal), count: String(parts.length), ...words };
  const rows = plan.trim().split('\n');
  const lines = rows.flatMap((row) => {
    if (row.startsWith('## ')) return ['', row, ''];
    const repeated = row.includes('{n}') ? parts : [{}];
    return repeated.flatMap((part, index) => stepText(row, { ...common, ...part, n: String(index + 1) }));
  });
  return ['---', `plan: ${slugOf(goal)}`, `goal: ${JSON.stringify(goal)}`, '---', ...lines, ''].join('\n');
}

/** The pieces of a campaign: an overview, the first steps, and what goes wrong. */
export function piecesOf(topic: string) {
  const slug = (slugOf(topic).match(/[a-z\d]+/g) ?? ['topic']).join('-');
  const title = capitalised(topic);
  return [
    { slug, title },
    { slug: `${slug}-first-steps`, title: `${title}: first steps` },
    { slug: `${slug}-mistakes`, title: `${title}: what goes wrong` },
  ];
}
