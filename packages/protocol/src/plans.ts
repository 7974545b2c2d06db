// Plans: stages of steps, the status of each step, and the limits of a plan. How a plan is written as a file is in plan-file/.

import { z } from 'zod';
import { limits } from './http.ts';
import { id, time } from './scalars.ts';

/** The maximum numbers and lengths (in characters) of a plan's parts. */
export const PLAN_LIMITS = {
  /** Of the whole file. */
  characters: 1_048_576,
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

/** What a plan as a whole is doing. */
export const planState = z.enum(['draft', 'approved', 'running', 'paused', 'done', 'failed', 'stopped']);

/** What the event and the change `plan_step` say. */
export const planStepData = z.object({
  plan: id,
  step: z.int().meta({ description: 'The step’s position in the plan, counted from 1.' }),
  step_id: z.string(),
  status: planStepStatus,
  title: z.string().optional(),
  chat: id.optional(),
  run: id.optional(),
  error: z.string().optional(),
});

export const planStepState = planStep
  .extend({
    step: z.int().meta({ description: 'Its position in the plan, counted from 1.' }),
    status: planStepStatus,
    chat_id: id.nullable().meta({ description: 'The chat in which it is done.' }),
    run_id: id.nullable(),
    error: z.string().nullable().meta({ description: 'Why it failed, is blocked, or was skipped.' }),
    cost: z.number().nullable().meta({ description: 'In dollars; null if it is not known.' }),
    updated_at: time.nullable(),
  })
  .meta({ id: 'PlanStepState' });

export const planProgress = z
  .object({
    id,
    path: z.string(),
    title: z.string(),
    project_id: id.nullable(),
    content_version: z.int().meta({ description: 'The version of the plan’s file.' }),
    state: planState,
    goal: z.string().nullable().meta({ description: 'Null if the file is not a plan yet: see `problems`.' }),
    constraints: z.array(z.string()),
    stages: z.array(planStage.extend({ steps: z.array(planStepState) }).meta({ id: 'PlanStageState' })),
    counts: z.record(planStepStatus, z.int()).meta({ description: 'How many steps have each status.' }),
    problems: z.array(planProblem).meta({ description: 'A plan with problems cannot be approved or run.' }),
    approved: z
      .object({
        version: z.int().meta({ description: 'The version of the file that was approved.' }),
        at: time,
        by: z.unknown(),
        is_current: z.boolean().meta({ description: 'False if the plan was changed since.' }),
      })
      .nullable(),
    run_id: id.nullable().meta({ description: 'The run that works on the plan.' }),
    chat_id: id.nullable(),
    usage: z
      .object({
        runs: z.int(),
        input: z.number(),
        output: z.number(),
        cost: z.number().nullable().meta({ description: 'In dollars; null if no cost is known.' }),
      })
      .nullable()
      .meta({
        description:
          'What the plan’s last run has used together with all of its child runs, as far as they have ended; null if it never ran.',
      }),
  })
  .meta({ id: 'PlanProgress', description: 'A plan, with the status of each step.' });

export const listedPlan = z
  .object({
    id,
    path: z.string(),
    title: z.string(),
    project_id: id.nullable(),
    content_version: z.int().meta({ description: 'The version of the plan’s file.' }),
    state: planState,
    is_waiting: z
      .boolean()
      .meta({ description: 'A run waits for a person’s approval of the plan as it is now.' }),
    counts: z.record(planStepStatus, z.int()).meta({ description: 'How many steps have each status.' }),
    problems: z.int().meta({ description: 'How many problems the plan has; `progress` lists them.' }),
    run_id: id.nullable().meta({ description: 'The run that works on the plan, or did so last.' }),
    chat_id: id.nullable(),
    updated_at: time.meta({ description: 'The last change of the file or of a step.' }),
  })
  .meta({ id: 'ListedPlan' });

export const approvePlan = z
  .strictObject({
    version: z.int().min(1).optional().meta({
      description: 'The version of the file that was read; 409 `plan_changed` if the plan has changed since.',
    }),
  })
  .meta({ id: 'ApprovePlan' });

export type PlanState = z.output<typeof planState>;
export type ListedPlan = z.output<typeof listedPlan>;
export type PlanProgress = z.output<typeof planProgress>;
export type PlanStepState = z.output<typeof planStepState>;
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

export const runPlan = z
  .strictObject({
    cap: z
      .int()
      .min(1)
      .max(32)
      .optional()
      .meta({ description: 'How many steps run at the same time; 4 by default.' }),
    model: z.string().min(1).max(200).optional(),
    restart: z.boolean().optional().meta({
      description: 'All steps are pending again first. Otherwise, the first unfinished step is next.',
    }),
    limits: limits.optional().meta({ description: 'What all steps may spend together.' }),
  })
  .meta({ id: 'RunPlan' });
