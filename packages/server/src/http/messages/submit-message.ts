// Takes a person's message in, for a thread or for a chat that it begins: who answers it, and what comes with it.

import type { z } from '@hono/zod-openapi';
import type { Run, schemas } from '@continuo/protocol';
import type { Agent } from '../../agents/agent.ts';
import type { Enqueue } from '../../runs/accept/enqueue.ts';
import type { Origin } from '../../threads/origin-cache.ts';
import { accept, acceptedBefore } from './accept-run.ts';
import type { HttpContext } from '../app.ts';
import { attach } from './attach.ts';
import { Problem } from '../kernel/problem.ts';
import { refuseNul } from '../kernel/shared.ts';

interface Taken {
  readonly threadId: string;
  /** Who answers unless the message says otherwise. */
  readonly origin: Origin;
  readonly message: z.infer<typeof schemas.newMessage>;
  readonly idempotencyKey: string | null;
  /** Names for the message and the run, where a client has its own. */
  readonly names?: { readonly message: string; readonly run?: string | undefined };
  /** The chat that is made with the message. */
  readonly chat?: Enqueue['chat'];
  /** What to say if there is no such thread; it may have been removed. */
  readonly missing?: () => Promise<Problem>;
}

export async function takeMessage(
  context: HttpContext,
  { threadId, origin, message, idempotencyKey, names, chat, missing }: Taken,
): Promise<{ run: Run; headers: Record<string, string> }> {
  const { content, ...chosen } = message;
  const { workspaceId } = origin;
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
    },
    chosen: chat ? { ...chosen, chat } : chosen,
    idempotencyKey,
    ...(chat && { chat }),
  };
  const filled = await fillIn(context, origin, chosen).catch(async (refusal: unknown) => {
    const before = refusal instanceof Problem ? await acceptedBefore(context, asked) : null;
    if (before) return before;
    throw refusal;
  });
  if ('run' in filled) return filled;
  return accept(context, { ...asked, ...filled, ...(names && { runId: names.run }) }, missing);
}

/** What the message does not say itself, as it is now. */
async function fillIn(
  context: HttpContext,
  { workspaceId, role, model }: Origin,
  chosen: Omit<Taken['message'], 'content'>,
): Promise<Pick<Enqueue, 'model' | 'role' | 'limits' | 'files'>> {
  const agent = await agentFor(context, {
    workspaceId,
    role: chosen.role ?? role ?? undefined,
    model: chosen.model ?? model ?? undefined,
  });
  const files = await attach(context.pool, workspaceId, chosen.files ?? []);
  const limits = { ...agent.limits, ...chosen.limits };
  return {
    model: agent.model.id,
    role: agent.role,
    limits: Object.keys(limits).length === 0 ? null : limits,
    ...(files.length > 0 && { files }),
  };
}

/** Who answers a message; a role or a model that is not known is refused here. */
export async function agentFor(
  { agents }: HttpContext,
  wanted: Parameters<HttpContext['agents']['make']>[0],
): Promise<Agent> {
  const made = await agents.make(wanted);
  if (made.ok) return made.agent;
  const field = made.code === 'unknown_role' ? 'role' : 'model';
  throw new Problem({ status: 400, code: made.code, detail: `${field}: ${made.problem}` });
}
