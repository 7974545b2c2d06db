// Threads, runs and tool results can also be addressed by id alone, without a workspace. A principal that may not use the
// workspace of the thing gets the same answer as for an unknown id.

import type { MiddlewareHandler } from 'hono';
import { mayUse, onlyWorkspace } from '../../identity/principal.ts';
import { readRun } from '../../runs/reads/read-runs.ts';
import type { App, HttpContext } from '../app.ts';
import { notFound } from './shared.ts';

const UUID = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i;

/** Register before the routes. A principal that may use every workspace costs no query. */
export function ownIdsOnly(app: App, { pool, originOf }: HttpContext): void {
  const threadOfRun = async (id: string): Promise<string | null> =>
    (await readRun(pool, id))?.thread_id ?? null;
  const guardIds =
    (
      what: string,
      idIn: (parameter: string) => string,
      threadOf: (id: string) => Promise<string | null>,
    ): MiddlewareHandler =>
    async (c, next) => {
      const principal = c.get('principal');
      const parameter = c.req.param('id')!;
      const id = idIn(parameter);
      // The route itself reports an invalid id.
      if (onlyWorkspace(principal) === null || !UUID.test(id)) return next();
      const thread = await threadOf(id);
      const origin = thread === null ? null : await originOf(thread);
      if (!origin || !mayUse(principal, origin.workspaceId)) throw notFound(what, parameter);
      return next();
    };
  const whole = (parameter: string) => parameter;
  const threads = guardIds('thread', whole, async (id) => id);
  const runs = guardIds('run', whole, threadOfRun);
  // A tool result's id begins with that of its run.
  const results = guardIds('tool_result', (parameter) => parameter.split(':')[0]!, threadOfRun);
  app.use('/api/threads/:id/*', threads);
  app.use('/api/runs/:id/*', runs);
  app.use('/api/agent/stream/:id', runs);
  app.use('/api/v1/tool-results/:id', results);
}
