// Plays a whole run as the server would: asks for answers until one makes no call, with made-up results of the calls in between.

import { randomUUID } from 'node:crypto';
import type { AssignmentMessage, AssignmentRequest, ExecutorEvent } from '@continuo/protocol';
import type { Assigned } from './assigned.ts';
import type { MockServer } from './mock-server.ts';

/** A run that makes more answers than this does not end. */
const MOST_ANSWERS = 50;

export interface Scene {
  readonly server: MockServer;
  /** What the person says. */
  readonly message: string;
  /** The names of the tools that are offered beside `ask_person`. */
  readonly tools: readonly string[];
  readonly patienceSeconds: number;
}

export interface RunToPlay {
  readonly leaseSeconds?: number;
  readonly content?: string;
  readonly history?: readonly AssignmentMessage[];
  readonly state?: unknown;
  /** How the calls end; questions are answered, or declined. */
  readonly results?: 'good' | 'failed';
  /** Sees each assignment before it is claimed. */
  readonly prepare?: (assigned: Assigned) => void;
}

export interface PlayedRun {
  readonly history: readonly AssignmentMessage[];
  readonly state: unknown;
  readonly last: ExecutorEvent;
  readonly answers: readonly Assigned[];
}

export async function playRun(scene: Scene, run: RunToPlay = {}): Promise<PlayedRun> {
  const { server, message, patienceSeconds } = scene;
  const { leaseSeconds = 30, content = message, results = 'good', prepare } = run;
  const runId = randomUUID();
  const history: AssignmentMessage[] = [...(run.history ?? []), { role: 'user', id: randomUUID(), content }];
  let state = run.state ?? null;
  const answers: Assigned[] = [];
  for (let number = 1; number <= MOST_ANSWERS; number += 1) {
    const request = requestOf(scene, [...history], state);
    const assigned = server.offer({ request, leaseSeconds, runId, message: `m${number}` });
    prepare?.(assigned);
    answers.push(assigned);
    const last = await inTime(assigned.finished, patienceSeconds, `The answer m${number} was not finished`);
    const calls = namedCalls(assigned.events, history);
    history.push({ role: 'assistant', id: `${runId}/m${number}`, parts: partsOf(assigned.events, calls) });
    state = last.type === 'finish' ? (last.state ?? null) : null;
    if (last.type === 'fail' || calls.length === 0) return { history, state, last, answers };
    history.push(...calls.map((call) => resultOf(call, results, scene.tools)));
  }
  throw new Error(`After ${MOST_ANSWERS} answers the run still makes calls.`);
}

export function requestOf(
  { tools }: Pick<Scene, 'tools'>,
  history: readonly AssignmentMessage[],
  state: unknown,
): AssignmentRequest {
  const input = { type: 'object', properties: {}, additionalProperties: true };
  return {
    role: 'assistant',
    system: 'You are being checked: this is not a real conversation.',
    history: [...history],
    tools: ['ask_person', ...tools].map((name) => ({ name, description: `The tool ${name}.`, input })),
    max_output_tokens: null,
    traceparent: null,
    state,
  };
}

export async function inTime<T>(promise: Promise<T>, seconds: number, otherwise: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${otherwise} within ${seconds} s.`)), seconds * 1000);
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

type Call = Extract<ExecutorEvent, { type: 'tool_call' }> & { readonly call: string };

/** Calls have names; one that the run had before gets a number. */
function namedCalls(
  events: readonly ExecutorEvent[],
  history: readonly AssignmentMessage[],
): readonly Call[] {
  const taken = new Set(history.flatMap((each) => (each.role === 'tool' ? [each.call] : [])));
  return events
    .filter((event) => event.type === 'tool_call')
    .map((event, index) => {
      const wanted = event.call ?? `call_${index + 1}`;
      let call = wanted;
      for (let number = 2; taken.has(call); number += 1) call = `${wanted}_${number}`;
      taken.add(call);
      return { ...event, call };
    });
}

function partsOf(
  events: readonly ExecutorEvent[],
  calls: readonly Call[],
): Extract<AssignmentMessage, { role: 'assistant' }>['parts'] {
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ call, tool, input }) => ({ type: 'tool_call' as const, call, tool, input })),
  ];
}

function resultOf(
  { call, tool, input }: Call,
  results: 'good' | 'failed',
  tools: readonly string[],
): AssignmentMessage {
  const told = { role: 'tool' as const, call, tool };
  if (tool === 'ask_person') {
    const answer = exampleOf(input.schema);
    const output = results === 'good' ? { answered: true, answer } : { answered: false, why: 'declined' };
    return { ...told, output, failed: false };
  }
  if (!tools.includes(tool)) return { ...told, output: { error: `There is no tool ${tool}.` }, failed: true };
  return results === 'good'
    ? { ...told, output: { ok: true }, failed: false }
    : { ...told, output: { error: 'The tool failed, for the check.' }, failed: true };
}

/** An answer to a question: a value for each field of a flat schema. */
function exampleOf(schema: unknown): Readonly<Record<string, unknown>> {
  const { properties = { answer: { type: 'string' } } } = (schema ?? {}) as {
    properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleField(field)]));
}

function exampleField({
  type,
  enum: choices,
  minimum,
  minItems,
  items,
}: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(choices)) return choices[0] as unknown;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'array')
    return Array.from({ length: Number(minItems ?? 1) }, () =>
      exampleField((items ?? {}) as Record<string, unknown>),
    );
  return 'An answer';
}
