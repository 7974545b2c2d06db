// Writes a plan as its file. Given the text that the file has, only the differences are rewritten: text that is not part of the
// plan stays, with the stage or step that it belongs to.

import type { AgentPlan, PlanStage, PlanStep, PlanStepStatus } from '../plans.ts';
import {
  BOXES,
  DETAIL_KEYS,
  layoutOf,
  splitHeading,
  splitId,
  STEP,
  type PlanLayout,
  type StageLayout,
  type StepLayout,
} from './layout.ts';
import { toStep } from './parse.ts';
import { idOfTitle, printList, printText, printYamlText } from './values.ts';

export type PlanStatuses = ReadonlyMap<string, PlanStepStatus>;

/** Steps without a status are pending. */
export function printPlan(plan: AgentPlan, statuses: PlanStatuses = new Map(), before = ''): string {
  const layout = layoutOf(before);
  const written = new Map(layout.stages.flatMap(({ steps }) => steps).map((step) => [step.id, step]));
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const blocks = [
    [...frontMatter(plan, layout), ...preamble(layout)],
    ...plan.stages.map((stage, index) => printStage(stage, index, { layout, written, statuses })),
    ...leftText(plan, layout),
  ];
  return `${blocks
    .map(trimmed)
    .filter((block) => block.length > 0)
    .map((block) => block.join(end))
    .join(`${end}${end}`)}${end}`;
}

/** The same text with the boxes of these statuses; a step without a status keeps its box. */
export function printStatuses(text: string, statuses: PlanStatuses): string {
  const lines = text.split('\n');
  let isChanged = false;
  for (const { steps } of layoutOf(text).stages)
    for (const step of steps) {
      const status = statuses.get(step.id);
      if (status === undefined || status === step.status) continue;
      lines[step.line] = withBox(lines[step.line]!, status);
      isChanged = true;
    }
  return isChanged ? lines.join('\n') : text;
}

function withBox(line: string, status: PlanStepStatus): string {
  const end = line.endsWith('\r') ? '\r' : '';
  return (
    line
      .replace(/\r$/, '')
      .replace(
        STEP,
        (_all, before: string, _box, between: string, rest: string) =>
          `${before}${BOXES[status]}${between}${rest}`,
      ) + end
  );
}

function frontMatter(plan: AgentPlan, { lines, front }: PlanLayout): readonly string[] {
  const own = [
    `plan: ${printYamlText(plan.id)}`,
    `goal: ${printYamlText(plan.goal)}`,
    ...(plan.constraints?.length === 0 ? ['constraints: []'] : []),
    ...(plan.constraints?.length
      ? ['constraints:', ...plan.constraints.map((text) => `  - ${printYamlText(text)}`)]
      : []),
  ];
  return ['---', ...own, ...otherKeys(lines.slice(1, Math.max(front.end - 1, 1))), '---'];
}

/** The lines of other keys and comments. */
function otherKeys(lines: readonly string[]): readonly string[] {
  let isKept = true;
  return lines.filter((line) => {
    const key = /^([A-Za-z_][\w-]*)\s*:/.exec(line)?.[1];
    if (key !== undefined) isKept = !['plan', 'goal', 'constraints'].includes(key);
    else if (line.startsWith('#')) return true;
    return isKept;
  });
}

function preamble({ lines, front, stages }: PlanLayout): readonly string[] {
  const text = trimmed(lines.slice(front.end, stages[0]?.line ?? lines.length));
  return text.length === 0 ? [] : ['', ...text];
}

interface Written {
  readonly layout: PlanLayout;
  readonly written: ReadonlyMap<string, StepLayout>;
  readonly statuses: PlanStatuses;
}

function printStage(
  stage: PlanStage,
  index: number,
  { layout, written, statuses }: Written,
): readonly string[] {
  const { lines } = layout;
  const known = layout.stages.find(({ id }) => id === stage.id);
  const heading =
    known && known.name === stage.name && known.mode === stage.mode
      ? lines[known.line]!
      : printHeading(stage, index);
  const text = known ? trimmed(lines.slice(known.line + 1, known.steps[0]?.line ?? known.end)) : [];
  const steps = stage.steps.flatMap((step) => {
    const before = written.get(step.id);
    return printStep(step, statuses.get(step.id) ?? 'pending', before && { layout: before, lines });
  });
  const tail = known ? trimmed(lines.slice(known.end, known.textEnd)) : [];
  return [
    heading,
    '',
    ...text,
    ...(text.length > 0 ? [''] : []),
    ...steps,
    ...(tail.length > 0 ? ['', ...tail] : []),
  ];
}

function printHeading({ id, name, mode }: PlanStage, index: number): string {
  const isSaid = idOfTitle(name, `stage-${index + 1}`) === id;
  const rest = `(${mode})${isSaid ? '' : ` {#${id}}`}`;
  // CommonMark takes #s at the end of a heading for its end.
  const readName = (text: string) => splitHeading(`${text} ${rest}`).name;
  return `## ${printText(name, readName)} ${rest}`;
}

interface StepLines {
  readonly layout: StepLayout;
  readonly lines: readonly string[];
}

function printStep(step: PlanStep, status: PlanStepStatus, before: StepLines | undefined): readonly string[] {
  if (!before) return [printHead(step, status), ...printDetails(step)];
  const { layout, lines } = before;
  const own = lines.slice(layout.line, layout.end);
  if (isSame(toStep(layout), step)) return [withBox(own[0]!, status), ...trimmed(own.slice(1))];
  const details = new Set([...layout.details.values()].map(({ line }) => line));
  const text = own.filter((_line, index) => index > 0 && !details.has(layout.line + index));
  return [printHead(step, status), ...printDetails(step), ...trimmed(text)];
}

function printHead({ id, title }: PlanStep, status: PlanStepStatus): string {
  const readTitle = (text: string) => splitId(`${text} {#${id}}`).title;
  return `- [${BOXES[status]}] ${printText(title, readTitle)} {#${id}}`;
}

function printDetails(step: PlanStep): readonly string[] {
  return DETAIL_KEYS.flatMap((key) => {
    const value = step[key];
    if (value === undefined) return [];
    return [`  - ${key}: ${typeof value === 'string' ? printText(value) : printList(value)}`];
  });
}

function isSame(a: PlanStep, b: PlanStep): boolean {
  return a.title === b.title && DETAIL_KEYS.every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}

/** Text that stood behind stages which are gone. */
function leftText(plan: AgentPlan, { lines, stages }: PlanLayout): readonly (readonly string[])[] {
  const isGone = ({ id }: StageLayout) => !plan.stages.some((stage) => stage.id === id);
  return stages.filter(isGone).map(({ end, textEnd }) => lines.slice(end, textEnd));
}

function trimmed(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  return from < 0 ? [] : lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}
