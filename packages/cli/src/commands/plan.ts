// Plans: list, show, approve, run, pause, resume and stop, and retry or skip a step.

import type { Client } from '@continuo/client';
import { connect, type Remote } from '../connect.ts';
import { CommandError, EXIT } from '../failure.ts';
import { bold, dim, note, plural, print, printJson, safe, short, table, time } from '../output.ts';

type PlanProgress = Awaited<ReturnType<Client['plans']['progress']>>;
type Status = PlanProgress['stages'][number]['steps'][number]['status'];

const BOXES: Readonly<Record<Status, string>> = {
  pending: '[ ]',
  running: '[/]',
  done: '[x]',
  failed: '[!]',
  skipped: '[-]',
  blocked: '[?]',
};

export async function list(remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const items = await listPlans(client);
  if (remote.json) return printJson({ items });
  if (items.length === 0) return note('No plans. A file such as /plans/launch.plan is one.');
  print(
    table(
      ['PLAN', 'STATE', 'STEPS', 'CHANGED', 'PATH', 'GOAL'],
      items.map((each) => [
        each.id,
        each.is_waiting ? 'waits for approval' : each.state,
        `${each.counts.done ?? 0}/${Object.values(each.counts).reduce((all: number, count) => all + (count ?? 0), 0)}`,
        time(each.updated_at),
        short(each.path, 60),
        short(each.title, 60),
      ]),
    ),
  );
}

export async function show(given: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  report(await client.plans.progress(await findPlan(client, given)), remote);
}

export async function approve(given: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  report(await client.plans.approve(await findPlan(client, given)), remote);
}

export async function run(
  given: string,
  { restart = false, ...remote }: Remote & { restart?: boolean },
): Promise<void> {
  const { client } = await connect(remote);
  const id = await findPlan(client, given);
  const started = await client.plans.run(id, restart ? { restart } : {});
  if (remote.json) return printJson(started);
  note(dim(`Run ${started.run.id} works on the plan; \`continuo plan show\` shows its progress.`));
  report(await client.plans.progress(id), remote);
}

/** Pauses, resumes or stops the run that works on the plan. */
export async function control(
  action: 'pause' | 'resume' | 'stop',
  given: string,
  remote: Remote,
): Promise<void> {
  const { client } = await connect(remote);
  report(await client.plans[action](await findPlan(client, given)), remote);
}

export async function retry(given: string, step: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  report(await client.plans.retryStep(await findPlan(client, given), step), remote);
}

export async function skip(
  given: string,
  step: string,
  { reason, ...remote }: Remote & { reason?: string },
): Promise<void> {
  const { client } = await connect(remote);
  const id = await findPlan(client, given);
  report(await client.plans.skipStep(id, step, reason === undefined ? {} : { reason }), remote);
}

async function listPlans(client: Client) {
  const items = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<Client['plans']['states']>> = await client.plans.states({
      limit: 200,
      ...(after !== null && { after }),
    });
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}

/** The id of the plan with this id, this path, or this name of its file. */
export async function findPlan(client: Client, given: string): Promise<string> {
  const found = (await listPlans(client)).filter(
    ({ id, path }) => id === given || path === given || path.endsWith(`/${given}.plan`),
  );
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0)
    throw new CommandError(`There is no plan ${safe(given)}.`, {
      code: 'plan_not_found',
      exitCode: EXIT.notFound,
      hint: 'List the plans with: continuo plan list',
    });
  throw new CommandError(
    `Several plans are called ${safe(given)}: ${found.map(({ path }) => safe(path)).join(', ')}.`,
    { code: 'several_plans', exitCode: EXIT.conflict, hint: 'Name one by its path or its id.' },
  );
}

function report(plan: PlanProgress, { json }: Remote): void {
  if (json) return printJson(plan);
  print(
    `${bold(safe(plan.title))} ${dim(`${plan.state} · ${safe(plan.path)} · version ${plan.content_version}`)}`,
  );
  for (const { name, mode, steps } of plan.stages) {
    print(`\n${bold(safe(name))} ${dim(`(${mode})`)}`);
    for (const step of steps) {
      const error = step.error === null ? '' : ` ${dim(safe(step.error))}`;
      const cost = step.cost === null || step.cost === 0 ? '' : ` ${dim(`$${step.cost.toFixed(4)}`)}`;
      print(`${BOXES[step.status]} ${safe(step.title)} ${dim(safe(step.id))}${cost}${error}`);
    }
  }
  if (plan.usage) {
    const { runs, input, output, cost } = plan.usage;
    print(
      `\n${dim(`${plural(runs, 'run')}, ${input + output} tokens${cost === null ? '' : `, $${cost.toFixed(4)}`}`)}`,
    );
  }
  if (plan.problems.length === 0) return;
  print(`\n${plural(plan.problems.length, 'problem')}:`);
  for (const { line, column, text } of plan.problems) print(`  line ${line}:${column} ${safe(text)}`);
}
