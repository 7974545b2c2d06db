// Where the parts of a plan stand in the lines of its file. Lines that belong to no part are text that people wrote: they are
// kept. A mistake becomes a problem with its line and column, and reading continues, so that one pass finds them all.

import {
  isPlanId,
  PLAN_INTENTS,
  type PlanIntent,
  type PlanMode,
  type PlanProblem,
  type PlanStepStatus,
} from '../plans.ts';
import { readFrontMatter, type FrontMatter } from './front-matter.ts';
import { idOfTitle, readText } from './values.ts';

/** Line numbers count from 0 here. `end` is the line after the last. */
export interface PlanLayout {
  readonly lines: readonly string[];
  readonly front: FrontMatter;
  /** The text of the first heading of level 1. */
  readonly heading: string | null;
  readonly stages: readonly StageLayout[];
  readonly problems: readonly PlanProblem[];
}

export interface StageLayout {
  readonly line: number;
  readonly id: string;
  readonly name: string;
  readonly mode: PlanMode;
  readonly steps: StepLayout[];
  /** Where its own lines end: at the next stage, or at another heading of level 1 or 2, whose text then follows. */
  end: number;
  textEnd: number;
}

export interface StepLayout {
  readonly line: number;
  readonly id: string;
  readonly title: string;
  readonly status: PlanStepStatus;
  readonly details: Map<DetailKey, Detail>;
  end: number;
}

export interface Detail {
  readonly line: number;
  readonly column: number;
  readonly value: string;
}

export const DETAIL_KEYS = ['intent', 'executor', 'tools', 'inputs', 'outputs'] as const;
export type DetailKey = (typeof DETAIL_KEYS)[number];

/** What stands in the box of a step. GitHub shows the first two as boxes; Obsidian and others know the rest. */
export const BOXES: Readonly<Record<PlanStepStatus, string>> = {
  pending: ' ',
  done: 'x',
  running: '/',
  failed: '!',
  skipped: '-',
  blocked: '?',
};
const STATUS_OF_BOX = new Map(Object.entries(BOXES).map(([status, box]) => [box, status as PlanStepStatus]));

export const STEP = /^( ?(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([^\]]*)(\](?:[ \t]+|$))(.*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^\s*(`{3,}|~{3,})/;
const DETAIL = /^((?: {2,}|\t)\s*[-*+][ \t]+)(intent|executor|tools?|inputs?|outputs?)([ \t]*:[ \t]*)(.*)$/i;
const ID = /^(|.*\s)\{#([^{}]*)\}\s*$/;
const MODE = /^(|.*\s)\((\w+)\)$/;

export function layoutOf(text: string): PlanLayout {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const reader = new LayoutReader(lines, readFrontMatter(lines));
  return reader.read();
}

class LayoutReader {
  readonly #stages: StageLayout[] = [];
  readonly #problems: PlanProblem[];
  #heading: string | null = null;
  /** The last heading of level 1 or 2, if it may be a stage. */
  #open: { readonly line: number; readonly text: string; readonly column: number } | null = null;
  #stage: StageLayout | null = null;
  #fence: string | null = null;
  #stepCount = 0;
  readonly #stepLines = new Map<string, number>();

  readonly lines: readonly string[];
  readonly front: FrontMatter;

  constructor(lines: readonly string[], front: FrontMatter) {
    this.lines = lines;
    this.front = front;
    this.#problems = [...front.problems];
  }

  read(): PlanLayout {
    for (let line = this.front.end; line < this.lines.length; line += 1) this.#readLine(line);
    this.#endStage(this.lines.length);
    const { lines, front } = this;
    return { lines, front, heading: this.#heading, stages: this.#stages, problems: this.#problems };
  }

  #readLine(line: number): void {
    const text = this.lines[line]!;
    if (this.#isInFence(text)) return;
    const heading = HEADING.exec(text);
    if (heading) return this.#readHeading(line, heading[1]!.length, heading[2]!);
    const step = STEP.exec(text);
    if (step) return this.#readStep(line, step[1]!, step[2]!, step[3]!, step[4]!);
    const detail = DETAIL.exec(text);
    if (detail && this.#stage) this.#readDetail(line, detail[1]!, detail[2]!, detail[3]!, detail[4]!);
  }

  #isInFence(text: string): boolean {
    const mark = FENCE.exec(text)?.[1];
    if (this.#fence === null) {
      this.#fence = mark ?? null;
      return mark !== undefined;
    }
    if (mark?.startsWith(this.#fence) && text.trim() === mark) this.#fence = null;
    return true;
  }

  #readHeading(line: number, level: number, text: string): void {
    if (level > 2) return;
    if (level === 1) this.#heading ??= readText(text);
    this.#endStage(line);
    if (level === 2) this.#openStage(line, text);
  }

  /** A heading that names a mode is a stage; another one is a stage if steps follow. */
  #openStage(line: number, text: string): void {
    const column = this.lines[line]!.indexOf('#') + 1;
    this.#open = { line, text, column };
    const { mode } = splitHeading(text);
    if (mode === 'parallel' || mode === 'sequence') this.#beginStage();
  }

  #beginStage(): void {
    const { line, text, column } = this.#open!;
    const { name, mode, id } = splitHeading(text);
    if (mode !== null && mode !== 'parallel' && mode !== 'sequence')
      this.#problem(
        line,
        this.lines[line]!.lastIndexOf(`(${mode})`) + 1,
        `“(${mode})” is not a mode: write (parallel) or (sequence) behind the stage’s name.`,
      );
    const own = id ?? idOfTitle(name, `stage-${this.#stages.length + 1}`);
    if (!isPlanId(own)) this.#badId(line, own);
    const twin = this.#stages.find((stage) => stage.id === own);
    if (twin)
      this.#problem(
        line,
        column,
        `The stage on line ${twin.line + 1} has the id “${own}”, too: write another id behind this one, such as {#${own}-2}.`,
      );
    const isMode = mode === 'parallel' || mode === 'sequence';
    this.#stage = {
      line,
      id: own,
      name,
      mode: isMode ? mode : 'sequence',
      steps: [],
      end: line + 1,
      textEnd: line + 1,
    };
    this.#stages.push(this.#stage);
    this.#open = null;
  }

  #endStage(line: number): void {
    const last = this.#stages.at(-1);
    if (this.#stage) {
      this.#stage.end = line;
      const step = this.#stage.steps.at(-1);
      if (step) step.end = line;
    }
    if (last) last.textEnd = line;
    this.#stage = null;
    this.#open = null;
  }

  #readStep(line: number, before: string, box: string, between: string, rest: string): void {
    if (this.#open) this.#beginStage();
    if (!this.#stage)
      return this.#problem(
        line,
        1,
        'This step is in no stage: write a heading above it, such as “## Work (sequence)”.',
      );
    const status = STATUS_OF_BOX.get(box.toLowerCase());
    if (status === undefined)
      this.#problem(
        line,
        before.length,
        `“[${box}]” is not a status: write [ ] pending, [x] done, [/] running, [!] failed, [-] skipped or [?] blocked.`,
      );
    this.#stepCount += 1;
    const { title, id } = splitId(rest);
    const own = id ?? idOfTitle(title, `step-${this.#stepCount}`);
    if (title === '')
      this.#problem(
        line,
        before.length + box.length + between.length + 1,
        'This step has no title: write what is to be done behind the box.',
      );
    if (!isPlanId(own)) this.#badId(line, own);
    const twin = this.#stepLines.get(own);
    if (twin === undefined) this.#stepLines.set(own, line);
    else
      this.#problem(
        line,
        before.length,
        `The step on line ${twin + 1} has the id “${own}”, too: write another id behind this one, such as {#${own}-2}.`,
        own,
      );
    const last = this.#stage.steps.at(-1);
    if (last) last.end = line;
    this.#stage.steps.push({
      line,
      id: own,
      title,
      status: status ?? 'pending',
      details: new Map(),
      end: line + 1,
    });
  }

  #readDetail(line: number, bullet: string, name: string, colon: string, value: string): void {
    const step = this.#stage!.steps.at(-1);
    if (!step) return;
    const key = detailKey(name);
    const column = bullet.length + name.length + colon.length + 1;
    const twin = step.details.get(key);
    if (twin)
      this.#problem(
        line,
        bullet.length + 1,
        `The step has “${key}” already, on line ${twin.line + 1}: keep one of them.`,
        step.id,
      );
    if (key === 'intent' && !isIntent(readText(value).toLowerCase()))
      this.#problem(
        line,
        column,
        `“${value.trim()}” is not an intent: write ${PLAN_INTENTS.slice(0, -1).join(', ')} or ${PLAN_INTENTS.at(-1)}.`,
        step.id,
      );
    if (key === 'executor' && readText(value) === '')
      this.#problem(line, column, 'The executor is missing: write its name, such as writer.', step.id);
    step.details.set(key, { line, column, value });
  }

  #badId(line: number, id: string): void {
    const column = this.lines[line]!.lastIndexOf('{#') + 1;
    this.#problem(
      line,
      Math.max(column, 1),
      `“${id}” is not an id: use letters, digits, “.”, “_” and “-”, at most 64, beginning with a letter or digit.`,
    );
  }

  #problem(line: number, column: number, text: string, stepId?: string): void {
    this.#problems.push({ line: line + 1, column, text, ...(stepId !== undefined && { step_id: stepId }) });
  }
}

interface Heading {
  readonly name: string;
  /** What stands in the last brackets: perhaps no mode. */
  readonly mode: string | null;
  readonly id: string | null;
}

/** `Research (parallel) {#research}` */
export function splitHeading(text: string): Heading {
  const { title: rest, id } = splitRawId(text);
  const mode = MODE.exec(rest);
  return { name: readText(mode ? mode[1]! : rest), mode: mode?.[2]?.toLowerCase() ?? null, id };
}

/** `Research market trends {#trends}` */
export function splitId(text: string): { readonly title: string; readonly id: string | null } {
  const { title, id } = splitRawId(text);
  return { title: readText(title), id };
}

function splitRawId(text: string): { readonly title: string; readonly id: string | null } {
  const match = ID.exec(text);
  return match ? { title: match[1]!.trim(), id: match[2]! } : { title: text.trim(), id: null };
}

function detailKey(name: string): DetailKey {
  const key = name.toLowerCase();
  return DETAIL_KEYS.find((each) => each === key || each === `${key}s`)!;
}

function isIntent(text: string): text is PlanIntent {
  return (PLAN_INTENTS as readonly string[]).includes(text);
}
