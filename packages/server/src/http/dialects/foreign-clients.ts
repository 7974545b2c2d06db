// Shared by the protocols of foreign clients: client ids for threads and messages, the run of a message, answers to approvals,
// and a response that ends when people must answer.

import type { HttpBindings } from '@hono/node-server';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { isTerminal, schemas, type Approval, type RunDialect } from '@continuo/protocol';
import { CARRIER_DEPTH } from '../../limits/json-depth.ts';
import type { Queryable } from '../../db/pool.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import { lastSeqOf } from '../../log/statements.ts';
import { isAsking, readApprovalsIn } from '../../runs/approvals/approvals.ts';
import {
  messageNamed,
  readNamed,
  runNamed,
  threadNamed,
  type KnownMessage,
} from '../../threads/client-ids.ts';
import type { Origin } from '../../threads/origin-cache.ts';
import { readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import { accept, NameTaken } from '../messages/accept-run.ts';
import type { HttpContext } from '../app.ts';
import { decide } from '../routes/approvals.ts';
import { noChat } from '../routes/chats.ts';
import { jsonBody } from '../kernel/body.ts';
import { agentFor, takeMessage } from '../messages/submit-message.ts';
import { requirePerson } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { findScopeOfThread, scopeNamed } from '../kernel/scope.ts';
import { notFound, refuseNul } from '../kernel/shared.ts';
import {
  positionAtStart,
  pagesOf,
  positionOf,
  unnumbered,
  type DialectBinding,
  type StreamPosition,
  type StreamSource,
} from '../streams/dialect-stream.ts';
import { sourceOf } from '../streams/run-stream.ts';
import { answerWithStream } from '../streams/sse.ts';

/** These clients send the whole conversation with each request. This many bytes can be parsed without blocking the event loop for long. */
const CONVERSATION_BYTES = 4 * 1024 * 1024;
/** The most objects, arrays and fields in a conversation, counted together. */
const CONVERSATION_PARTS = 100_000;
/** The most parts in the messages that the server reads, and the most answers to interrupts. */
const CONVERSATION_ITEMS = 10_000;

/**
 * The body of a client that sends the whole conversation. The server reads and validates only the last message and the last
 * assistant message, which may hold answers to approvals. Validating a long conversation would block the event loop.
 */
export const conversationBody = jsonBody({
  limit: CONVERSATION_BYTES,
  depth: CARRIER_DEPTH,
  parts: CONVERSATION_PARTS,
  read: (body, c) => {
    const { messages, resume } = (body ?? {}) as { readonly messages?: unknown; readonly resume?: unknown };
    refuseLong('resume', resume);
    if (!Array.isArray(messages) || messages.length === 0) return body;
    conversations.set(c.req.raw, messages);
    const last = messages.length - 1;
    const assistant = messages.findLastIndex((each) => roleOf(each) === 'assistant');
    const end: unknown[] =
      assistant >= 0 && assistant < last ? [messages[assistant], messages[last]] : [messages[last]];
    for (const message of end) refuseLongMessage(message);
    return { ...(body as object), messages: end };
  },
});

function refuseLongMessage(message: unknown): void {
  const { parts, content } = (message ?? {}) as { readonly parts?: unknown; readonly content?: unknown };
  refuseLong('messages[].parts', parts);
  refuseLong('messages[].content', content);
}

/** Checked before the schema, which would collect an error for every item. */
function refuseLong(path: string, list: unknown): void {
  if (!Array.isArray(list) || list.length <= CONVERSATION_ITEMS) return;
  const message = `has ${list.length} items; at most ${CONVERSATION_ITEMS} are allowed`;
  throw new Problem({
    status: 400,
    code: 'invalid_body',
    detail: `${path}: ${message}`,
    extra: { errors: [{ path, message }] },
  });
}

const conversations = new WeakMap<Request, readonly unknown[]>();

/** All messages that the client sent. Most of them are not validated. */
export function conversationOf({ req }: Context): readonly object[] {
  const messages = conversations.get(req.raw) ?? [];
  return messages.filter((each): each is object => typeof each === 'object' && each !== null);
}

function roleOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined;
}

/** A client id: any text that the database can store. */
export const clientName = z
  .string()
  .min(1)
  .max(200)
  .refine((name) => name.isWellFormed() && !name.includes('\0'), {
    error: 'must be Unicode text without NUL (U+0000) and without lone surrogates',
  });
export const workspaceQuery = z.object({
  workspace: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .openapi({ description: 'The id or the name of a workspace; `default` if absent.' }),
});

/** The options that a client may send with its message. */
export const clientChoices = schemas.newMessage
  .pick({ model: true, role: true, limits: true, policy: true })
  .strip();

/** A part of a message, of any type. */
export const clientPart = z.looseObject({ type: z.string() });

/** The text of a person's message. */
export function textIn(parts: readonly z.infer<typeof clientPart>[]): string {
  const content = parts.map(textOf).join('\n\n');
  refuseNul('messages', content);
  if (content !== '') return content;
  throw new Problem({ status: 400, code: 'empty_message', detail: 'The last message has no text.' });
}

function textOf(part: z.infer<typeof clientPart>): string {
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  throw new Problem({
    status: 400,
    code: 'unsupported_part',
    detail:
      `The last message has a part of type ${JSON.stringify(part.type.slice(0, 100))}; only text is accepted. ` +
      'Put a file into the workspace and name its path.',
  });
}

export function noMessageToAnswer(): Problem {
  return new Problem({
    status: 400,
    code: 'nothing_to_do',
    detail:
      'The last message is not a person’s, and it answers no approval. Tools run on the server; clients do not send tool results.',
  });
}

export interface ClientThread {
  readonly id: string;
  readonly scope: WorkspaceScope;
  /** Null if the thread does not exist yet. */
  readonly origin: Origin | null;
}

/** Finds the thread by its server id, or by the client's own id for it. */
export async function threadOf(
  { originOf }: HttpContext,
  c: Context,
  workspace: string | undefined,
  name: string,
): Promise<ClientThread> {
  const known = z.uuid().safeParse(name).success ? await findScopeOfThread(c, name) : null;
  if (known && workspace === undefined) return { id: name, scope: known, origin: known.origin };
  const scope = await scopeNamed(c, workspace);
  if (known && known.workspaceId !== scope.workspaceId) throw notFound('thread', name);
  const id = known ? name : threadNamed(scope.workspaceId, name);
  return { id, scope, origin: known?.origin ?? (await originOf(id)) };
}

export interface ClientMessage {
  /** The client's id for the message. */
  readonly id: string;
  readonly content: string;
  /** Whether a message that the server already knows gets a new run: never, always, or unless its last run is still open. */
  readonly again: 'no' | 'yes' | 'unless_open';
  /** The client's id for the run, if it sends one. */
  readonly run?: string;
  readonly chosen: z.infer<typeof clientChoices>;
}

/** The run that answers a client's message. Idempotent: the same message gets the same run. */
export async function runFor(
  context: HttpContext,
  thread: ClientThread,
  message: ClientMessage,
): Promise<StoredRun> {
  refuseNul('role', message.chosen.role);
  refuseNul('model', message.chosen.model);
  const named = message.run === undefined ? undefined : runNamed(thread.id, message.run);
  for (;;) {
    const earlier = named === undefined ? null : await readRun(thread.scope.db, named);
    if (earlier) return earlier;
    try {
      return await begin(context, thread, message, named);
    } catch (error) {
      // A concurrent request created it first: read it on the next pass.
      if (!(error instanceof NameTaken)) throw error;
      const origin = await context.originOf(thread.id);
      thread = { ...thread, origin };
    }
  }
}

async function begin(
  context: HttpContext,
  { id: threadId, scope, origin }: ClientThread,
  { id: name, content, again, chosen }: ClientMessage,
  runId: string | undefined,
): Promise<StoredRun> {
  const known = origin && (await readNamed(scope.db, threadId, name));
  if (known?.text === content) {
    const last = await requireRun(scope, known.runId);
    if (again === 'no' || (again === 'unless_open' && !isTerminal(last.status))) return last;
    return requireRun(scope, await retryMessage(context, scope, { threadId, known, last, runId, chosen }));
  }
  const { run } = await takeMessage(context, scope, {
    threadId,
    origin: origin ?? { role: null, model: null },
    message: { ...chosen, content, ...(known && { replaces: known.id }) },
    names: { message: messageNamed(threadId, name, known ? known.version + 1 : 0), run: runId },
    idempotencyKey: null,
    ...(!origin && { chat: { title: null, role: null, model: null } }),
    missing: () => noChat(scope, threadId),
  });
  return requireRun(scope, run.id);
}

interface Retry {
  readonly threadId: string;
  readonly known: KnownMessage;
  readonly last: StoredRun;
  readonly runId: string | undefined;
  readonly chosen: ClientMessage['chosen'];
}

/** Rewinds the thread to before the message and answers it again, with the same role, model and limits unless the client chooses others. */
async function retryMessage(
  context: HttpContext,
  scope: WorkspaceScope,
  { threadId, known, last, runId, chosen }: Retry,
): Promise<string> {
  const { workspaceId } = scope;
  const { role, model, limits } = chosen;
  const agent = await agentFor(context, {
    workspaceId,
    role: role ?? last.role,
    // Another role has its own model.
    model: model ?? (role === undefined ? last.model : undefined),
  });
  const request = {
    workspaceId,
    threadId,
    runId,
    message: { retryOf: last.id, id: known.id, replaces: known.id },
    model: agent.model.id,
    role: agent.role,
    limits: limits ?? last.limits,
    chosen: null,
    idempotencyKey: null,
  };
  const { run } = await accept(context, scope, request, () => noChat(scope, threadId));
  return run.id;
}

async function requireRun({ db }: WorkspaceScope, runId: string): Promise<StoredRun> {
  const run = await readRun(db, runId);
  if (!run) throw notFound('run', runId);
  return run;
}

export interface Answer {
  readonly approval: string;
  readonly approved: boolean;
  /** Replaces the call's own input. */
  readonly input?: Record<string, unknown> | undefined;
  readonly comment?: string | undefined;
}

/**
 * Records a person's answers as decisions; null if there are none. With `left_alone`, approvals that are already decided or
 * unknown are skipped.
 */
export async function answerAll(
  context: HttpContext,
  c: Context,
  { id: threadId, scope }: ClientThread,
  answers: readonly Answer[],
  late: 'refused' | 'left_alone',
): Promise<StoredRun | null> {
  const ids = answers.map(({ approval }) => approval).filter((id) => z.uuid().safeParse(id).success);
  const asked = ids.length === 0 ? [] : await readApprovalsIn(scope.db, threadId, ids);
  for (const { approval, approved, input, comment } of answers) {
    const question = asked.find(({ id }) => id === approval);
    if (!question && late === 'left_alone') continue;
    if (!question) throw notFound('approval', approval);
    if (question.decision !== null && (late === 'left_alone' || isMoot(question, approved))) continue;
    requirePerson(c, 'An answer to an approval');
    const { yes, no } = DECISIONS[question.kind];
    const changed = question.kind === 'question' ? yes : ('edit' as const);
    const decision = approved ? (input === undefined ? yes : changed) : no;
    const content = decision === 'answer' ? (input ?? {}) : input;
    await decide(context, scope, question, {
      decision,
      input: approved ? content : undefined,
      comment,
    });
  }
  const last = asked.at(-1);
  return last ? requireRun(scope, last.run_id) : null;
}

const DECISIONS = {
  call: { yes: 'approve', no: 'deny' },
  unknown_outcome: { yes: 'retry', no: 'skip' },
  question: { yes: 'answer', no: 'deny' },
} as const;

/** The call was not made and never will be, so a second refusal changes nothing. */
function isMoot({ decision }: Approval, approved: boolean): boolean {
  return !approved && decision !== null && ['deny', 'skip', 'expired', 'canceled'].includes(decision);
}

interface Response<State> {
  readonly run: StoredRun;
  readonly dialect: RunDialect<State>;
  readonly binding: Omit<DialectBinding<State>, 'dialect' | 'rests' | 'endsWhole'>;
  /** The client answered these approvals, so it already has everything up to them. */
  readonly answered?: readonly string[];
  /** The id of the last frame of this run that the client has. */
  readonly after?: string | undefined;
}

/** Streams a run to its end, or until people must answer. A client that has just answered gets only what follows. */
export async function respond<State>(
  { streams }: HttpContext,
  c: Context<{ Bindings: HttpBindings }>,
  { db }: WorkspaceScope,
  { run, dialect, binding, answered, after }: Response<State>,
): Promise<globalThis.Response> {
  const source = sourceOf(run);
  const since = await lastSeqOf(db, run.thread_id, run.id, run.startAfter);
  const from = after
    ? await positionOf(db, c.env.outgoing, dialect, source, after)
    : answered
      ? await positionAfterAnswers(db, dialect, source, since, new Set(answered))
      : positionAtStart(dialect, source);
  if (after && from.seq === run.lastSeq) return c.body(null, 204);
  // A client that resumes from its cursor already has the opening.
  const opening = after ? '' : unnumbered(dialect.opening(from.state));
  const closing = dialect.closing(from.state);
  if ((answered || after) && closing && from.seq === since && (await isAsking(db, run.id))) {
    return c.body(opening + unnumbered(closing) + (binding.closing ?? ''), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      ...binding.headers,
    });
  }
  const whole = { ...binding, dialect, rests: { since, closing: dialect.closing }, endsWhole: true as const };
  return answerWithStream(
    c,
    (response) => streams.follow(response, { binding: whole, source, from, opening }),
    binding.headers,
  );
}

/** The position at which the run waited for these answers; the current one if it never waited for them. */
async function positionAfterAnswers<State>(
  db: Queryable,
  dialect: RunDialect<State>,
  source: StreamSource,
  last: number,
  approvals: Set<string>,
): Promise<StreamPosition<State>> {
  let { seq, state }: { seq: number; state: State } = positionAtStart(dialect, source);
  for await (const events of pagesOf(db, source, { after: seq, last })) {
    for (const event of events) {
      [state] = dialect.step(state, event);
      ({ seq } = event);
      if (event.type === 'approval') approvals.delete(event.data.approval);
      if (approvals.size === 0 && dialect.closing(state)) return { seq, state, part: 0 };
    }
  }
  return { seq, state, part: 0 };
}
