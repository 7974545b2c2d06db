// The secrets of a workspace. A person stores and removes them. No route returns a value.

import { createRoute, z } from '@hono/zod-openapi';
import { MOST_SECRETS, type Secret } from '../../workspaces/secrets.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { body, json, notFound, problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['secrets'];
const path = '/api/v1/workspaces/{id}/secrets';
const secretName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,63}$/, 'must be 1 to 64 letters, digits and _, and not begin with a digit');
const secretParam = workspaceParam.extend({ name: secretName });
const secretBytes = 16 * 1024;

const secret = z
  .object({
    name: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    readable: z
      .boolean()
      .meta({ description: 'False if it was stored with another key than this server’s.' }),
  })
  .meta({ id: 'Secret', description: 'A secret of a workspace. Its value is never returned.' });
const newSecret = z
  .strictObject({
    value: z
      .string()
      .min(8, 'must have at least 8 characters; shorter values cannot be told from ordinary words')
      .refine((value) => Buffer.byteLength(value) <= secretBytes, `must have at most ${secretBytes} bytes`)
      .refine((value) => !value.includes('\0'), 'must not contain NUL'),
  })
  .meta({ id: 'NewSecret' });

export function secretRoutes(app: App, { secrets }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      summary: 'List the names of a workspace’s secrets',
      request: { params: workspaceParam },
      responses: {
        200: json(z.object({ items: z.array(secret) }), 'The secrets by name, without their values'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      return c.json({ items: (await secrets.list(workspaceId)).map(toWireSecret) }, 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'put',
      path: `${path}/{name}`,
      tags,
      summary: 'Store a secret; MCP servers that use it are restarted',
      middleware: jsonBody(),
      request: { params: secretParam, body: body(newSecret) },
      responses: {
        200: json(secret, 'The secret was replaced'),
        201: json(secret, 'The secret was added'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      const { name } = c.req.valid('param');
      const put = await secrets.put(workspaceId, name, c.req.valid('json').value);
      if (put === 'no_workspace') throw notFound('workspace', workspaceId);
      if (put === 'too_many') throw tooMany();
      const stored = (await secrets.list(workspaceId)).find((each) => each.name === name);
      // A concurrent request removed it.
      if (!stored) throw secretNotFound(name);
      return c.json(toWireSecret(stored), put === 'created' ? 201 : 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'delete',
      path: `${path}/{name}`,
      tags,
      summary: 'Remove a secret',
      request: { params: secretParam },
      responses: { 204: { description: 'The secret is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { workspaceId } = await scopeIn(c);
      const { name } = c.req.valid('param');
      if (!(await secrets.remove(workspaceId, name))) throw secretNotFound(name);
      return c.body(null, 204);
    },
  );
}

function toWireSecret({ name, createdAt, updatedAt, isReadable }: Secret): z.infer<typeof secret> {
  return {
    name,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    readable: isReadable,
  };
}

function secretNotFound(name: string): Problem {
  return new Problem({
    status: 404,
    code: 'secret_not_found',
    detail: `The workspace has no secret named ${name}.`,
  });
}

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_secrets',
    detail: `A workspace may have at most ${MOST_SECRETS} secrets; remove one first.`,
  });
}
