// Submits a person's message to a thread, or to a new chat that it opens: chooses the agent and attaches the files.

import type { z } from '@hono/zod-openapi';
import type { Run, schemas, ThreadScope } from '@continuo/protocol';
import type { Agent } from '../../agents/agent.ts';
import type { WorkspaceScope } from '../../identity/scope.ts';
import type { Enqueue } from '../../runs/accept/enqueue.ts';
import type { Origin } from '../../threads/origin-cache.ts';
import { accept, findAccepted } from './accept-run.ts';
import type { HttpContext } from '../app.ts';
import { attach } from './attach.ts';
import { Problem } from '../kernel/problem.ts';
import { refuseNul } from '../kernel/shared.ts';

interface Taken {
  readonly threadId: string;
  /** The thread's role and model, used unless the message chooses others. */
  readonly origin: Pick<Origin, 'role' | 'model'>;
  readonly message: z.infer<typeof schemas.newMessage>;
  /** What the thread is about from this message on; what it was about before, if absent. */
  readonly about?: ThreadScope | undefined;
  readonly idempotencyKey: string | null;
  /** The client's ids for the message and the run, if it has any. */
  readonly names?: { readonly message: string; readonly run?: string | undefined };
  /** The chat to create with the message. */
  readonly chat?: Enqueue['chat'];
  /** What decides about the run's steps; absent for the role's model. */
  readonly directive?: Enqueue['directive'];
  /** The error if the thread does not exist; it may have been removed. */
  readonly missing?: () => Promise<Problem>;
}

export async function takeMessage(
  context: HttpContext,
  scope: WorkspaceScope,
  { threadId, origin, message, about, idempotencyKey, names, chat, directive, missing }: Taken,
): Promise<{ run: Run; headers: Record<string, string> }> {
  const { content, ...chosen } = message;
  const { workspaceId } = scope;
  refuseNul('role', chosen.role);
  refuseNul('model', chosen.model);
  const asked = {
    workspaceId,
    threadId,
    message: {
      ...(names && { id: names.message }),
      content,
      policy: chosen.policy,
      replaces: chosen.replaces,
      ...(about && { scope: about }),
    },
    chosen: chat ? { ...chosen, chat, ...(directive && { directive }) } : chosen,
    idempotencyKey,
    ...(chat && { chat }),
    ...(directive && { directive }),
  };
  const filled = await fillIn(context, scope, origin, chosen).catch(async (refusal: unknown) => {
    const before = refusal instanceof Problem ? await findAccepted(scope, asked) : null;
    if (before) return before;
    throw refusal;
  });
  if ('run' in filled) return filled;
  return accept(context, scope, { ...asked, ...filled, ...(names && { runId: names.run }) }, missing);
}

/** Fills in everything that the message leaves open, from the current settings. */
async function fillIn(
  context: HttpContext,
  scope: WorkspaceScope,
  { role, model }: Taken['origin'],
  chosen: Omit<Taken['message'], 'content'>,
): Promise<Pick<Enqueue, 'model' | 'role' | 'limits' | 'files'>> {
  const agent = await agentFor(context, {
    workspaceId: scope.workspaceId,
    role: chosen.role ?? role ?? undefined,
    model: chosen.model ?? model ?? undefined,
  });
  const files = await attach(scope, chosen.files ?? []);
  const limits = { ...agent.limits, ...chosen.limits };
  return {
    model: agent.model.id,
    role: agent.role,
    limits: Object.keys(limits).length === 0 ? null : limits,
    ...(files.length > 0 && { files }),
  };
}

/** The agent that answers a message. Refuses an unknown role or model. */
export async function agentFor(
  { agents }: HttpContext,
  wanted: Parameters<HttpContext['agents']['make']>[0],
): Promise<Agent> {
  const made = await agents.make(wanted);
  if (made.ok) return made.agent;
  const field = made.code === 'unknown_role' ? 'role' : 'model';
  throw new Problem({ status: 400, code: made.code, detail: `${field}: ${made.problem}` });
}
