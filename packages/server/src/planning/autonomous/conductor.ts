// Conducts an autonomous run: rounds of work, each a child run, and after each round a verdict on the goal. What the worker says
// about its work is not evidence.
//
// - A1 Before the first round there is a check command or at least one criterion; without either, a judge derives criteria.
// - A2 The check command decides first: a goal whose check fails is not met. The judge sees results and versions, never claims.
// - A3 A round is idle if it changes nothing, or leaves the files as an earlier round had left them. After IDLE_ROUNDS of them in a
//   row, the run ends with `no_progress`.
// - A4 The run ends `done` only if the goal is met. An impossible goal and a reached limit are errors that say so.
// - A5 All state is in the log: verdicts, ends of children, results of checks. A killed pod's successor goes on from there.

import type { EventData } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { Conductor } from '../../runs/children/conductor.ts';
import type { QueuedRun } from '../../runs/loop/decide.ts';
import { checkCall, directiveOf, readAgenda, readChildren, workOf, type Agenda } from './agenda.ts';
import { criteriaOf, nextOf } from './decision.ts';
import { readEvidence } from './evidence.ts';
import { criteriaMessage, judgeMessage, workMessage, type Goal } from './messages.ts';

export function createAutonomousConductor(): Conductor<Agenda> {
  return {
    read: readAgenda,
    next: nextOf,
    message: async (client, queued, agenda, { child }) => ({
      text: await messageFor(client, queued, agenda, child),
      untrusted: agenda.isUntrusted ? true : undefined,
    }),
    // The last verdict is appended with the closing text's decision: read it again.
    closing: async (client, _run, queued, { goal }) =>
      closingText(goal, (await readAgenda(client, queued)).verdicts),
  };
}

async function messageFor(
  client: Queryable,
  queued: QueuedRun,
  agenda: Agenda,
  child: string,
): Promise<string> {
  if (child.startsWith('criteria')) return criteriaMessage(agenda.goal);
  const directive = directiveOf(queued);
  const children = await readChildren(client, queued.id);
  const criteria = criteriaOf({ children }, directive, agenda) ?? [];
  const goal: Goal = { text: agenda.goal, criteria, check: directive.check };
  const round = agenda.verdicts.length + 1;
  if (child.startsWith('work#')) {
    const last = agenda.verdicts.at(-1);
    const checkOutput = last ? (agenda.checks.get(checkCall(last.round))?.output ?? null) : null;
    const feedback = last ? { round: last.round, reasons: last.reasons, checkOutput } : null;
    return workMessage(goal, round, feedback, agenda.added);
  }
  const worker = children.find((each) => each.child === workOf(round))!;
  const check = agenda.checks.get(checkCall(round));
  const files = agenda.ends.get(worker.run)?.files ?? [];
  const shownCheck = check ? `${directive.check}\n${check.output}` : null;
  const evidence = await readEvidence(client, worker, files, shownCheck);
  return judgeMessage(goal, evidence, child.endsWith('.2'));
}

function closingText(goal: string, verdicts: readonly EventData['verdict'][]): string {
  const last = verdicts.at(-1)!;
  const changed = verdicts.reduce((sum, each) => sum + each.changed, 0);
  return [
    `The goal is met after ${last.round === 1 ? 'one round' : `${last.round} rounds`}: ${goal}`,
    ...last.reasons.map((reason) => `- ${reason}`),
    `Judged by ${last.by === 'check' ? 'the check command' : 'the judge'}; ${changed} changes of files and entities in all rounds. The digest lists them.`,
  ].join('\n');
}
