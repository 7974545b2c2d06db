// Schedules: list, add, show, pause, resume, run now, remove.

import { connect, type Connected, type Remote } from '../connect.ts';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { bold, dim, note, print, printJson, safe, short, table, time } from '../output.ts';
import { findPlan } from './plan.ts';

type Schedule = Awaited<ReturnType<Connected['client']['schedules']['get']>>;

export async function list(remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const page = await client.schedules.list();
  if (remote.json) return printJson(page);
  if (page.items.length === 0)
    return note('No schedules. `continuo schedule add <name> <cron> <message>` adds one.');
  print(
    table(
      ['SCHEDULE', 'CRON', 'TIME ZONE', 'NEXT', 'LAST'],
      page.items.map((each) => [
        short(each.name, 40),
        each.cron,
        each.time_zone,
        each.paused ? 'paused' : time(each.next_at),
        each.times[0] ? `${time(each.times[0].at)} ${each.times[0].outcome}` : '',
      ]),
    ),
  );
}

interface AddOptions extends Remote {
  readonly plan?: string;
  readonly timeZone?: string;
  readonly chat?: string;
  readonly title?: string;
  readonly role?: string;
  readonly model?: string;
  readonly cost?: number;
  readonly runMissed?: boolean;
  readonly queue?: boolean;
}

export async function add(
  name: string,
  cron: string,
  message: string | undefined,
  options: AddOptions,
): Promise<void> {
  if ((message === undefined) === (options.plan === undefined))
    throw usageError('write either the message that is sent, or --plan with the plan that is run');
  const { client, commandFor } = await connect(options);
  const made = await client.schedules.create({
    name,
    cron,
    message: message ?? '',
    plan_id: options.plan === undefined ? null : await findPlan(client, options.plan),
    time_zone: options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    chat_id: options.chat ?? null,
    title: options.title ?? null,
    role: options.role ?? null,
    model: options.model ?? null,
    limits: options.cost === undefined ? null : { cost: options.cost },
    missed: options.runMissed ? 'run_once' : 'skip',
    overlap: options.queue ? 'queue' : 'skip',
    paused: false,
  });
  if (options.json) return printJson(made);
  print(`${safe(made.name)} is added; it starts ${time(made.next_at)}`);
  note(dim(`${commandFor(`schedule show ${made.id}`)} shows its times`));
}

export async function show(given: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const schedule = await find(client, given);
  if (remote.json) return printJson(schedule);
  const { name, cron, time_zone, paused, next_times, times, message, plan_id, missed, overlap } = schedule;
  print(`${bold(safe(name))}  ${cron}  ${time_zone}${paused ? '  paused' : ''}`);
  print(plan_id === null ? short(message, 400) : `runs the plan ${plan_id}`);
  print(
    dim(
      `Missed times: ${missed === 'skip' ? 'skipped' : 'one run for all'}. While a run is open: ${overlap === 'skip' ? 'skipped' : 'queued'}.`,
    ),
  );
  for (const next of next_times) print(`next  ${time(next)}`);
  if (times.length === 0) return;
  print(
    table(
      ['TIME', 'OUTCOME', 'RUN', 'WHY'],
      times.map(({ at, outcome, manual, earlier, run_id, reason }) => [
        time(at),
        manual ? `${outcome} by hand` : outcome,
        run_id ?? '',
        [reason, earlier > 0 && `${earlier} earlier missed`].filter(Boolean).join('; '),
      ]),
    ),
  );
}

export async function change(action: string, given: string, remote: Remote): Promise<void> {
  const { client, commandFor } = await connect(remote);
  const { id, name } = await find(client, given);
  if (action === 'remove') {
    await client.schedules.remove(id);
    return remote.json ? printJson({ id, removed: true }) : print(`${safe(name)} is removed`);
  }
  const changed = await client.schedules[action as 'pause' | 'resume' | 'run'](id);
  if (remote.json) return printJson(changed);
  if (action === 'pause') return print(`${safe(name)} is paused`);
  if (action === 'resume') return print(`${safe(name)} continues ${time(changed.next_at)}`);
  print(`${safe(name)} has started the run ${changed.times[0]!.run_id}`);
  note(dim(`${commandFor(`tail ${changed.times[0]!.run_id}`)} watches it`));
}

/** A schedule by its name or its id. */
async function find(client: Connected['client'], given: string): Promise<Schedule> {
  const { items } = await client.schedules.list();
  const found = items.find(({ id, name }) => id === given || name === given);
  if (found) return found;
  throw new CommandError(
    `There is no schedule ${JSON.stringify(given)}. \`continuo schedule list\` lists them.`,
    {
      code: 'schedule_not_found',
      exitCode: EXIT.notFound,
    },
  );
}
