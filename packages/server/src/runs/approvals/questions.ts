// Questions that a running call asks a person. A question is a kind of approval. The call waits for the answer in memory, so
// the pod keeps holding the thread. A question ends with its call or with its pod: a pod that takes the run over closes the
// question, and handles the call by its effect class.

import type { Call } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { Entry } from '../../log/group.ts';
import type { Answer, LiveCallContext, Question } from '../../tools/tool.ts';
import type { Decision } from '../loop/decide.ts';
import type { StepContext } from '../steps/step.ts';

/** The pod drains while a call waits for a person. The call stays unfinished, for the next owner. */
export class Abandoned extends Error {
  override readonly message = 'the pod is stopping while the call waits for a person';
}

interface Asker {
  readonly ask: LiveCallContext['ask'];
  /** Closes the open question, because the call has ended. */
  end(): Promise<void>;
}

/** `post` appends the question and resolves to the id of its approval. */
export function createAsker(
  context: StepContext,
  { call, tool }: Call,
  post: (question: Question) => Promise<string>,
): Asker {
  const { hold, pen, queued, options, canceled } = context;
  const ended = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  const ask = async (question: Question): Promise<Answer> => {
    if (ended.signal.aborted || canceled.aborted) return { kind: 'canceled' };
    if (hold.draining) throw new Abandoned();
    const startClock = context.pauseClock();
    try {
      const approval = await post(question);
      const expiry = options.approvalMs === null ? [] : [AbortSignal.timeout(options.approvalMs)];
      const stop = AbortSignal.any([ended.signal, canceled, hold.lost, hold.stopping, ...expiry]);
      const decision = (await decided(context, approval, stop)) ?? EXPIRED;
      if (hold.lost.aborted) throw new Abandoned();
      if (decision === EXPIRED) await expireQuestions(options.pool, hold, [approval]);
      await pen.append([answered(queued.id, { approval, call, tool }, decision)]);
      if (decision === EXPIRED && hold.stopping.aborted) throw new Abandoned();
      return asAnswer(decision);
    } finally {
      startClock();
    }
  };
  return {
    ask: (question) => {
      const answer = last.then(() => ask(question));
      last = answer.catch(() => undefined);
      return answer;
    },
    end: async () => {
      ended.abort();
      await last;
    },
  };
}

/** Resolves to a person's decision, or to null when `stop` aborts. */
function decided(context: StepContext, approval: string, stop: AbortSignal): Promise<Decision | null> {
  return new Promise((resolve, reject) => {
    const give = () => resolve(null);
    stop.addEventListener('abort', give);
    if (stop.aborted) give();
    context
      .decision(approval)
      .then(resolve, reject)
      .finally(() => stop.removeEventListener('abort', give));
  });
}

const EXPIRED: Decision = { decision: 'expired', input: null, comment: null };

function asAnswer({ decision, input }: Decision): Answer {
  if (decision === 'answer')
    return { kind: 'answered', content: (input ?? {}) as Readonly<Record<string, unknown>> };
  if (decision === 'deny') return { kind: 'declined' };
  return { kind: decision === 'skip' ? 'dismissed' : 'canceled' };
}

/** The event that records how a question ended. */
export function answered(
  runId: string,
  question: { readonly approval: string; readonly call: string; readonly tool: string },
  { decision, input, comment }: Decision = EXPIRED,
): Entry {
  const data = {
    ...question,
    decision,
    ...(decision === 'answer' && { input }),
    ...(comment !== null && { comment }),
  };
  return { runId, event: { type: 'approval_end', data } };
}

/** Expires questions that no call waits for any more. Has no effect for a former owner of the thread. */
export async function expireQuestions(
  client: Queryable,
  { threadId, attempt }: { readonly threadId: string; readonly attempt: number },
  approvals: readonly string[],
): Promise<void> {
  if (approvals.length === 0) return;
  await client.query({
    name: 'expire_questions',
    text: `update approvals a set decision = 'expired', decided_at = clock_timestamp()
      where a.id = any($1) and a.decision is null
        and exists (select from threads t where t.id = $2 and t.attempt = $3)`,
    values: [approvals, threadId, attempt],
  });
}
