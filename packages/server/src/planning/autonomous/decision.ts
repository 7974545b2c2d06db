// Decides the next step of an autonomous run. Pure.

import type { EventData } from '@continuo/protocol';
import type { ConductedEvent, Next, Spawn } from '../../runs/children/conductor.ts';
import { newlyEnded, type QueuedRun } from '../../runs/loop/decide.ts';
import type { RunState } from '../../threads/fold.ts';
import {
  checkCall,
  directiveOf,
  workOf,
  type Agenda,
  type AutonomousDirective,
  type CheckResult,
  type End,
} from './agenda.ts';
import { readCriteria, readVerdict, type JudgedVerdict } from './answers.ts';
import { repeatsEarlierState } from './repetition.ts';

/** After this many rounds in a row without progress, the run ends. */
const IDLE_ROUNDS = 3;
/** How many rounds a run may have. */
const MOST_ROUNDS = 50;
/** How many model calls a round may make. */
const ROUND_STEPS = 40;

export function nextOf(run: RunState, queued: QueuedRun, agenda: Agenda): Next {
  return new Decision(run, queued, agenda).next();
}

class Decision {
  readonly #run: RunState;
  readonly #queued: QueuedRun;
  readonly #agenda: Agenda;
  readonly #directive: AutonomousDirective;

  constructor(run: RunState, queued: QueuedRun, agenda: Agenda) {
    this.#run = run;
    this.#queued = queued;
    this.#agenda = agenda;
    this.#directive = directiveOf(queued);
  }

  next(): Next {
    const ended = new Set(newlyEnded(this.#run, this.#queued).map(({ run }) => run));
    if (this.#run.children.some(({ status, run }) => status === 'open' && !ended.has(run))) return WAIT;
    const last = this.#agenda.verdicts.at(-1);
    const over = last && endOf(last, []);
    if (over) return over;
    const spent = this.#exhausted();
    if (spent) return fail(spent.code, spent.error);
    const criteria = criteriaOf(this.#run, this.#directive, this.#agenda);
    if (criteria === null) return this.#derive();
    return this.#round(criteria);
  }

  /** A limit of the whole run ended a child. A round's own limit of model calls ends only the round. */
  #exhausted(): { readonly code: string; readonly error: string } | null {
    const last = this.#run.children.at(-1);
    const error = last && this.#agenda.ends.get(last.run)?.error;
    if (!error || !LIMITS.has(error.code)) return null;
    const isRound = error.code === 'step_limit' && this.#agenda.steps < this.#queued.limits.steps;
    return isRound ? null : error;
  }

  #derive(): Next {
    const tries = this.#run.children.filter(({ child }) => child.startsWith('criteria')).length;
    if (tries === 0) return spawn({ ...this.#judge('criteria'), title: 'Derive criteria' });
    if (tries === 1) return spawn({ ...this.#judge('criteria#2'), title: 'Derive criteria again' });
    const error = 'no criteria could be derived from the goal; give a check command or criteria in done_when';
    return fail('no_criteria', error);
  }

  #round(criteria: readonly string[]): Next {
    const round = this.#agenda.verdicts.length + 1;
    const work = this.#end(workOf(round));
    if (!work) return spawn(this.#worker(round));
    const changed = (work.files?.length ?? 0) + (work.entities?.length ?? 0);
    if (changed === 0 && work.status !== 'done') {
      const why = work.error?.error ?? 'the round was canceled';
      return this.#judged(
        round,
        changed,
        { verdict: 'not_met', reasons: [`the round failed: ${why}`] },
        'watchdog',
      );
    }
    const check = this.#agenda.checks.get(checkCall(round));
    if (this.#directive.check !== null && !check) return this.#runCheck(round, this.#directive.check);
    if (check?.passed === null)
      return fail('check_not_run', `the check command could not be run: ${check.output}`);
    if (check?.passed === false && changed > 0)
      return this.#judged(
        round,
        changed,
        { verdict: 'not_met', reasons: ['the check command failed'] },
        'check',
      );
    if (check?.passed && criteria.length === 0)
      return this.#judged(round, changed, { verdict: 'met', reasons: ['the check command passed'] }, 'check');
    return this.#askJudge(round, changed, check);
  }

  #askJudge(round: number, changed: number, check: CheckResult | undefined): Next {
    const names = [`judge#${round}`, `judge#${round}.2`];
    for (const name of names) {
      const end = this.#end(name);
      if (!end) return spawn({ ...this.#judge(name), title: `Judge round ${round}` });
      const read = end.status === 'done' ? readVerdict(end.text) : null;
      if (!read) continue;
      // A failed check cannot be argued away.
      const isOverruled = read.verdict === 'met' && check?.passed === false;
      const verdict: JudgedVerdict = isOverruled
        ? { verdict: 'not_met', reasons: ['the check command failed', ...read.reasons] }
        : read;
      return this.#judged(round, changed, verdict, isOverruled ? 'check' : 'judge');
    }
    const failed = this.#end(names[1]!)?.error;
    if (failed) return fail('judge_failed', `the judge failed: ${failed.error}`);
    const reasons = ['the judge’s answer could not be read, so nothing shows that the goal is met'];
    return this.#judged(round, changed, { verdict: 'not_met', reasons }, 'judge');
  }

  #judged(
    round: number,
    changed: number,
    { verdict, reasons }: JudgedVerdict,
    by: EventData['verdict']['by'],
  ): Next {
    const before = this.#agenda.verdicts.at(-1)?.idle ?? 0;
    const isIdle = changed === 0 || repeatsEarlierState(this.#rounds(round), this.#agenda.hashes);
    const data: EventData['verdict'] = {
      round,
      verdict,
      by,
      reasons,
      changed,
      idle: isIdle ? before + 1 : 0,
    };
    const event: ConductedEvent = { event: { type: 'verdict', data } };
    return endOf(data, [event]) ?? { kind: 'act', events: [event], spawn: [] };
  }

  /** The check is a call of `exec` that no model asked for: policies, limits, cancel and recovery are those of any call. */
  #runCheck(round: number, command: string): Next {
    const message = `m${this.#run.messages + 1}`;
    const input = { kind: 'json' as const, value: { command } };
    const parts = [{ kind: 'tool_call' as const, callId: checkCall(round), tool: 'exec', input }];
    return {
      kind: 'act',
      spawn: [],
      events: [
        { event: { type: 'message_start', data: { message, model: 'continuo' } } },
        { event: { type: 'message_end', data: { message, text: '', parts, ended: 'complete' } } },
      ],
    };
  }

  /** The ends of the rounds up to this one. */
  #rounds(round: number): readonly End[] {
    return Array.from({ length: round }, (_, index) => this.#end(workOf(index + 1))!);
  }

  #end(child: string): End | undefined {
    const known = this.#run.children.find((each) => each.child === child);
    return known && this.#agenda.ends.get(known.run);
  }

  #worker(round: number): Spawn {
    const { role } = this.#queued;
    return { child: workOf(round), title: `Round ${round}`, role, limits: { steps: ROUND_STEPS } };
  }

  #judge(child: string): Omit<Spawn, 'title'> {
    const { judge_model } = this.#directive;
    const isCriteria = child.startsWith('criteria');
    return { child, role: 'judge', model: judge_model ?? undefined, ...(isCriteria && { tools: [] }) };
  }
}

const WAIT: Next = { kind: 'wait' };
const LIMITS: ReadonlySet<string> = new Set(['step_limit', 'token_limit', 'cost_limit', 'price_unknown']);

function spawn(child: Spawn): Next {
  return { kind: 'act', events: [], spawn: [child] };
}

function fail(code: string, error: string, events: readonly ConductedEvent[] = []): Next {
  return { kind: 'fail', events, code, error };
}

/** How the run ends after a verdict; null if another round follows. */
function endOf(
  { round, verdict, reasons, idle }: EventData['verdict'],
  events: readonly ConductedEvent[],
): Next | null {
  if (verdict === 'met') return { kind: 'finish', events, changes: [] };
  const why = reasons.join('; ');
  if (verdict === 'impossible') return fail('goal_impossible', `the goal is impossible: ${why}`, events);
  if (idle >= IDLE_ROUNDS)
    return fail('no_progress', `${idle} rounds in a row made no progress; the last verdict: ${why}`, events);
  if (round < MOST_ROUNDS) return null;
  return fail(
    'round_limit',
    `the goal is not reached after ${round} rounds; the last verdict: ${why}`,
    events,
  );
}

/** Null if none are given and none are derived yet. */
export function criteriaOf(
  { children }: Pick<RunState, 'children'>,
  { check, criteria }: AutonomousDirective,
  { ends }: Agenda,
): readonly string[] | null {
  if (check !== null || criteria.length > 0) return criteria;
  for (const { child, run } of children) {
    const read = child.startsWith('criteria') ? readCriteria(ends.get(run)?.text) : null;
    if (read) return read;
  }
  return null;
}
