// Plans: stages of steps, the status of each step, and the limits of a plan. How a plan is written as a file is in plan-file/.

import { z } from 'zod';

/** The maximum numbers and lengths (in characters) of a plan's parts. */
export const PLAN_LIMITS = {
  stages: 200,
  steps: 2000,
  listed: 100,
  constraints: 100,
  title: 500,
  text: 4000,
  id: 64,
} as const;

export const PLAN_INTENTS = ['research', 'analysis', 'draft', 'edit', 'create', 'update', 'review'] as const;
/** The executors that need no role of that name. */
export const PLAN_EXECUTORS = ['planner', 'research', 'writer', 'editor', 'tooling'] as const;
const PLAN_MODES = ['parallel', 'sequence'] as const;
export const PLAN_STEP_STATUSES = ['pending', 'running', 'done', 'failed', 'skipped', 'blocked'] as const;

/** What an id of a plan, stage or step looks like: it stands in addresses and, as `{#id}`, in files. */
const PLAN_ID = /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u;

export function isPlanId(text: string): boolean {
  return text.length <= PLAN_LIMITS.id && PLAN_ID.test(text);
}

const planId = z
  .string()
  .max(PLAN_LIMITS.id)
  .refine(isPlanId, 'Letters, digits, “.”, “_” and “-”, beginning with a letter or digit.');
const text = (length: number) => z.string().min(1).max(length);
const listed = z.array(text(PLAN_LIMITS.title)).max(PLAN_LIMITS.listed);

export const planStepStatus = z.enum(PLAN_STEP_STATUSES);

export const planStep = z
  .strictObject({
    id: planId.meta({ description: 'Unique in the plan.' }),
    title: text(PLAN_LIMITS.title),
    intent: z.enum(PLAN_INTENTS),
    executor: text(PLAN_LIMITS.title).meta({
      description: `Who does it: ${PLAN_EXECUTORS.join(', ')}, or the name of a role.`,
    }),
    tools: listed.optional().meta({ description: 'Without it, all tools of the executor.' }),
    inputs: listed
      .optional()
      .meta({ description: 'Ids of steps: this step waits for them and gets their results.' }),
    outputs: listed.optional().meta({ description: 'What it produces: paths, ids of entities.' }),
  })
  .meta({ id: 'PlanStep' });

export const planStage = z
  .strictObject({
    id: planId.meta({ description: 'Unique among the stages.' }),
    name: text(PLAN_LIMITS.title),
    mode: z.enum(PLAN_MODES),
    steps: z.array(planStep).max(PLAN_LIMITS.steps),
  })
  .meta({ id: 'PlanStage', description: 'Stages run in order, each after the one before has ended.' });

export const agentPlan = z
  .strictObject({
    id: planId,
    goal: text(PLAN_LIMITS.text),
    stages: z.array(planStage).max(PLAN_LIMITS.stages),
    constraints: z.array(text(PLAN_LIMITS.text)).max(PLAN_LIMITS.constraints).optional(),
  })
  .meta({ id: 'AgentPlan' });

export const planProblem = z
  .object({
    line: z.int().meta({ description: 'Counts from 1.' }),
    column: z.int().meta({ description: 'Counts from 1.' }),
    text: z.string(),
    step_id: z.string().optional(),
  })
  .meta({ id: 'PlanProblem', description: 'A mistake in a plan’s file, and where it is.' });

export type PlanIntent = (typeof PLAN_INTENTS)[number];
export type PlanMode = (typeof PLAN_MODES)[number];
export type PlanStepStatus = (typeof PLAN_STEP_STATUSES)[number];

export interface PlanStep {
  readonly id: string;
  readonly title: string;
  readonly intent: PlanIntent;
  /** One of PLAN_EXECUTORS, or the name of a role. */
  readonly executor: string;
  /** Without it, all tools of the executor. */
  readonly tools?: readonly string[] | undefined;
  /** Ids of the steps that this one waits for. */
  readonly inputs?: readonly string[] | undefined;
  /** What the step produces: paths, ids of entities. */
  readonly outputs?: readonly string[] | undefined;
}

export interface PlanStage {
  readonly id: string;
  readonly name: string;
  readonly mode: PlanMode;
  readonly steps: readonly PlanStep[];
}

export interface AgentPlan {
  readonly id: string;
  readonly goal: string;
  readonly stages: readonly PlanStage[];
  readonly constraints?: readonly string[] | undefined;
}

/** A mistake in a plan's file, and where it is; lines and columns count from 1. */
export interface PlanProblem {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly step_id?: string | undefined;
}

/** All steps, in the order of the plan. A step's position, counted from 1, is the `step` of its events. */
export function stepsOf(plan: AgentPlan): readonly PlanStep[] {
  return plan.stages.flatMap((stage) => stage.steps);
}
