// Approvals: list, read and decide them.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type Approval } from '@continuo/protocol';
import type { WorkspaceScope } from '../../identity/scope.ts';
import {
  decideApproval,
  listApprovals,
  readApproval,
  type Decision,
} from '../../runs/approvals/approvals.ts';
import { readRun } from '../../runs/reads/read-runs.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { body, json, limitQuery, notFound, page, problems, refuseNul, timeCursor } from '../kernel/shared.ts';
import { factWorld, scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['approvals'];
const APPROVALS = '/api/v1/workspaces/{id}/approvals';
const APPROVAL = `${APPROVALS}/{approval}` as const;
const approvalParam = workspaceParam.extend({ approval: z.uuid() });

/** How long validating an edited input waits for tools that are still loading. The run validates it again in any case. */
const TOOLS_MS = 5000;

/** The decisions that each kind of approval accepts. */
const ANSWERS: Readonly<Record<Approval['kind'], readonly Decision['decision'][]>> = {
  call: ['approve', 'deny', 'edit'],
  unknown_outcome: ['retry', 'skip'],
  question: ['answer', 'deny', 'skip'],
};

const KINDS: Readonly<Record<Approval['kind'], string>> = {
  call: 'a call',
  unknown_outcome: 'a call of unknown outcome',
  question: 'a question',
};

export function approvalRoutes(app: App, context: HttpContext): void {
  const find = async (c: Context, { approval }: z.infer<typeof approvalParam>) => {
    const scope = await scopeIn(c);
    const found = await readApproval(scope.db, scope.workspaceId, approval);
    if (!found) throw notFound('approval', approval);
    return { scope, found };
  };

  app.openapi(
    createRoute({
      method: 'get',
      path: APPROVALS,
      tags,
      summary: 'List approvals, newest first',
      request: {
        params: workspaceParam,
        query: z.object({
          state: schemas.approvalState.default('waiting'),
          after: z.string().optional(),
          limit: limitQuery,
        }),
      },
      responses: { 200: json(page(schemas.approval), 'A page of approvals'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { state, after, limit } = c.req.valid('query');
      const { workspaceId, db } = await scopeIn(c);
      const cursor = after === undefined ? null : timeCursor(after);
      return c.json(await listApprovals(db, workspaceId, { state, after: cursor, limit }), 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: APPROVAL,
      tags,
      summary: 'Read an approval',
      request: { params: approvalParam },
      responses: { 200: json(schemas.approval, 'The approval'), ...problems(400, 404, 410) },
    }),
    async (c) => c.json((await find(c, c.req.valid('param'))).found, 200),
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: APPROVAL,
      tags,
      summary: 'Decide an approval',
      description:
        'The run continues when all its approvals are decided. Repeating a decision has no effect; a different one is refused with 409.',
      middleware: jsonBody(),
      request: { params: approvalParam, body: body(schemas.newDecision) },
      responses: {
        200: json(schemas.approval, 'The approval, decided'),
        ...problems(400, 404, 409, 410, 413, 415, 422),
      },
    }),
    async (c) => {
      const decision = c.req.valid('json');
      const { scope, found } = await find(c, c.req.valid('param'));
      const decided = await decide(context, scope, found, decision);
      return c.json(decided, 200);
    },
  );
}

/** Records a person's decision about an approval. */
export async function decide(
  context: HttpContext,
  scope: WorkspaceScope,
  found: Approval,
  decision: Decision,
): Promise<Approval> {
  refuseNul('comment', decision.comment);
  refuseUnfit(found, decision);
  if (decision.input !== undefined && found.decision === null)
    await refuseInput(context, scope, found, decision.input);
  const id = { workspaceId: scope.workspaceId, id: found.id };
  const decided = await decideApproval(factWorld(context, scope), id, decision);
  if (decided.kind === 'not_found') throw notFound('approval', found.id);
  if (decided.kind !== 'decided') throw tooLate(decided.kind, decided.approval);
  return decided.approval;
}

function refuseUnfit({ kind }: Approval, { decision, input, comment }: Decision): void {
  const refused = (path: string, message: string) =>
    new Problem({
      status: 400,
      code: 'invalid_body',
      detail: `${path}: ${message}`,
      extra: { errors: [{ path, message }] },
    });
  if (!ANSWERS[kind].includes(decision)) {
    throw refused('decision', `is not a decision about ${KINDS[kind]}; allowed: ${ANSWERS[kind].join(', ')}`);
  }
  if (decision === 'edit' && input === undefined)
    throw refused('input', 'is missing; edit needs the input to make the call with');
  if (decision === 'answer' && input === undefined)
    throw refused('input', 'is missing; it must be the answer');
  if (decision !== 'edit' && decision !== 'answer' && input !== undefined)
    throw refused('input', 'is allowed only with edit and answer');
  if (comment !== undefined && comment.length > schemas.COMMENT_CHARACTERS)
    throw refused(
      'comment',
      `has ${comment.length} characters; at most ${schemas.COMMENT_CHARACTERS} are allowed`,
    );
}

/** Refuses an answer that does not match the question's schema, and an edited input that does not match the tool's. */
async function refuseInput(
  context: HttpContext,
  scope: WorkspaceScope,
  approval: Approval,
  input: unknown,
): Promise<void> {
  const { kind, schema = {}, tool: name } = approval;
  const expected = kind === 'question' ? answerSchema(schema) : await inputSchema(context, scope, approval);
  const parsed = expected?.safeParse(withoutInherited(input));
  if (!parsed || parsed.success) return;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    path: ['input', ...path].join('.'),
    message,
  }));
  const whole =
    kind === 'question'
      ? 'The answer does not match the question’s schema'
      : `The input does not match the schema of ${name}`;
  throw new Problem({
    status: 422,
    code: 'invalid_input',
    detail: `${whole}: ${errors.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
    extra: { errors },
  });
}

/** A copy without a prototype. Otherwise a missing field named `constructor` or `toString` would be found on every object. */
function withoutInherited(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.assign(Object.create(null) as object, input);
}

/** Null if the schema cannot be checked here; the MCP server that asks checks the answer itself. */
function answerSchema(schema: Readonly<Record<string, unknown>>): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return null;
  }
}

/** Null if the tool is not available now; the run validates the input itself. */
async function inputSchema(
  { agents }: HttpContext,
  { db, workspaceId }: WorkspaceScope,
  { run_id: runId, tool: name }: Approval,
): Promise<z.ZodType | null> {
  const run = await readRun(db, runId);
  const made = run && (await agents.make({ workspaceId, role: run.role, model: run.model }));
  if (!made?.ok) return null;
  const tools = await made.agent.tools(AbortSignal.timeout(TOOLS_MS));
  return tools.get(name)?.input ?? null;
}

function tooLate(kind: 'too_late' | 'expired' | 'run_ended', approval: Approval): Problem {
  const { decision, decided_at, comment, expires_at } = approval;
  const said = comment === null ? '' : ` (${JSON.stringify(comment)})`;
  const detail = {
    too_late: `The approval was already decided: ${decision}${said}, at ${decided_at}.`,
    expired: `The approval expired at ${expires_at}; the call was not made.`,
    run_ended: 'The run has ended or is being stopped, so the call is not made.',
  }[kind];
  return new Problem({
    status: 409,
    code: { too_late: 'already_decided', expired: 'approval_expired', run_ended: 'run_ended' }[kind],
    detail,
    extra: { approval },
  });
}
