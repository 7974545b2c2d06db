// An executor as bare requests: what the protocol says, and nothing more.

import type { Assignment, ExecutorEvent } from '@continuo/protocol';
import { ask, call, createThread, type Answer, type RunBody } from '@continuo/testkit';

export async function start(
  url: string,
  executor: string,
  content = 'Hello',
  more: object = {},
): Promise<RunBody> {
  return startIn(url, await createThread(url), executor, content, more);
}

export async function startIn(
  url: string,
  thread: string,
  executor: string,
  content = 'Hello',
  more: object = {},
): Promise<RunBody> {
  const body = { content, model: `executor/${executor}`, ...more };
  const { run } = await call<{ run: RunBody }>('POST', `${url}/api/threads/${thread}/messages`, body);
  return run;
}

/** Waits for an assignment as long as the server allows. */
export async function claim(url: string, executor: string, body: object = { wait: 30 }): Promise<Assignment> {
  const { status, body: claimed, text } = await tryClaim(url, executor, body);
  if (status !== 200) throw new Error(`the claim was answered with ${status}: ${text}`);
  return claimed as Assignment;
}

export function tryClaim(url: string, executor: string, body: object = {}): Promise<Answer> {
  return ask('POST', `${url}/api/v1/executors/${executor}/claim`, body);
}

const path = ({ run_id, message }: Assignment) => `/api/v1/runs/${run_id}/assignments/${message}`;

export function post(
  url: string,
  assignment: Assignment,
  seq: number,
  ...events: readonly ExecutorEvent[]
): Promise<Answer> {
  return ask('POST', `${url}${path(assignment)}/events`, { claim: assignment.claim, seq, events });
}

export function heartbeat(url: string, assignment: Assignment, wait = 0): Promise<Answer> {
  return ask('POST', `${url}${path(assignment)}/heartbeat`, { claim: assignment.claim, wait });
}

export const text = (content: string): ExecutorEvent => ({ type: 'text', text: content });
export const finish = (more: object = {}): ExecutorEvent => ({ type: 'finish', ...more });
