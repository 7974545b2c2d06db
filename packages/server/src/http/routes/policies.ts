// A workspace's policy: what its agents may do.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas, type PolicyRule } from '@continuo/protocol';
import { parseAllowed } from '../../hosts/allowed-host.ts';
import { policyVersion, readNetwork, readPolicy, writePolicy } from '../../workspaces/policies.ts';
import { policyRule } from '../../tools/policy.ts';
import type { App } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['policies'];
const path = '/api/v1/workspaces/{id}/policy';

const rules = z.array(policyRule).max(schemas.POLICY_RULES);
/** Maximum number of hosts. */
const HOSTS = 100;
const network = z
  .array(
    z
      .string()
      .max(300)
      .refine(
        (host) => parseAllowed(host) !== null,
        'write a name such as registry.npmjs.org or *.example.org, or an address, each also with :port',
      ),
  )
  .max(HOSTS)
  .meta({
    description:
      'The hosts that commands of agents may be given access to; ports 80 and 443 unless an entry names another.',
  });
const policy = z
  .object({ rules, network, version: z.string().meta({ description: 'The version of these rules.' }) })
  .meta({
    id: 'Policy',
    description: 'The last rule that matches a call decides; a call that matches no rule needs approval.',
  });
const newPolicy = z
  .strictObject({
    rules,
    network: network.optional(),
    version: z.string().optional().meta({
      description: 'The version that was read; 409 `policy_changed` if the policy has changed since.',
    }),
  })
  .meta({ id: 'NewPolicy' });

export function policyRoutes(app: App): void {
  app.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      summary: 'Read the policy of a workspace',
      request: { params: workspaceParam },
      responses: {
        200: json(policy, 'The policy; the default policy if none was set'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId, db } = await scopeIn(c);
      const found = await readPolicy(db, workspaceId);
      if (found === null) throw notFound('workspace', workspaceId);
      return c.json(toWirePolicy(found, await readNetwork(db, workspaceId)), 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'put',
      path,
      tags,
      summary: 'Replace the policy of a workspace',
      description: 'Applies to every call from now on, also in open runs.',
      middleware: jsonBody(),
      request: { params: workspaceParam, body: body(newPolicy) },
      responses: { 200: json(policy, 'The policy'), ...problems(400, 404, 409, 410, 413, 415) },
    }),
    async (c) => {
      const { workspaceId, db } = await scopeIn(c);
      const wanted = c.req.valid('json');
      const written = await writePolicy(db, workspaceId, wanted);
      if (written === 'no_workspace') throw notFound('workspace', workspaceId);
      if (written === 'changed') throw changed();
      return c.json(toWirePolicy(wanted.rules, wanted.network ?? (await readNetwork(db, workspaceId))), 200);
    },
  );
}

function toWirePolicy(all: readonly PolicyRule[], hosts: readonly string[]): z.infer<typeof policy> {
  return { rules: [...all], network: [...hosts], version: policyVersion(all, hosts) };
}

function changed(): Problem {
  return new Problem({
    status: 409,
    code: 'policy_changed',
    detail:
      'The policy has changed since it was read. Nothing was written: read it again and apply your change to it.',
  });
}
