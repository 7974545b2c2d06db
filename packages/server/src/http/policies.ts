// What agents may do in a workspace.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { readPolicy, writePolicy } from '../runs/policies.ts';
import { policyRule } from '../tools/policy.ts';
import type { App, HttpContext } from './app.ts';
import { jsonBody } from './body.ts';
import { body, json, notFound, problems } from './shared.ts';
import { workspaceIn, workspaceParam } from './workspaces.ts';

const tags = ['policies'];
const path = '/api/v1/workspaces/{id}/policy';

const policy = z.strictObject({ rules: z.array(policyRule).max(schemas.POLICY_RULES) }).meta({
  id: 'Policy',
  description: 'The last rule that matches a call decides; what none matches is asked.',
});

export function policyRoutes(app: App, { pool }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      summary: 'Read the policy of a workspace',
      request: { params: workspaceParam },
      responses: { 200: json(policy, 'The policy; the default if none was set'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { id } = await workspaceIn(pool, c.req.valid('param').id);
      const rules = await readPolicy(pool, id);
      if (rules === null) throw notFound('workspace', id);
      return c.json({ rules: [...rules] }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'put',
      path,
      tags,
      summary: 'Replace the policy of a workspace',
      description: 'Holds for every call from now on, also of runs that are under way.',
      middleware: jsonBody(),
      request: { params: workspaceParam, body: body(policy) },
      responses: { 200: json(policy, 'The policy'), ...problems(400, 404, 410, 413, 415) },
    }),
    async (c) => {
      const { id } = await workspaceIn(pool, c.req.valid('param').id);
      const { rules } = c.req.valid('json');
      if (!(await writePolicy(pool, id, rules))) throw notFound('workspace', id);
      return c.json({ rules }, 200);
    },
  );
}
