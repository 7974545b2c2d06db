// The read keys of a workspace. A key opens what is published, so only a person may make one or remove it.

import { createRoute, z } from '@hono/zod-openapi';
import { schemas } from '@continuo/protocol';
import { addReadKey, deleteReadKey, listReadKeys, MOST_READ_KEYS } from '../../content/read-keys.ts';
import { sqlState } from '../../db/pool.ts';
import { FILES_CHANGED } from '../../files/topics.ts';
import { toStored } from '../../identity/principal.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from '../kernel/body.ts';
import { personRoute } from '../kernel/person.ts';
import { Problem } from '../kernel/problem.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';
import { body, json, notFound, page, problems } from '../kernel/shared.ts';

const tags = ['content'];
const KEYS = '/api/v1/workspaces/{id}/read-keys';

export function readKeyRoutes(app: App, { bus }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: KEYS,
      tags,
      summary: 'List the read keys',
      request: { params: workspaceParam },
      responses: {
        200: json(
          page(schemas.readKey),
          `At most ${MOST_READ_KEYS}, all on one page, without the keys themselves`,
        ),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      return c.json({ items: await listReadKeys(db, workspaceId), next: null }, 200);
    },
  );

  app.openapi(
    personRoute({
      method: 'post',
      path: KEYS,
      tags,
      summary: 'Create a read key; the response has the key, which is not shown again',
      description: 'A site that sends the key may read what this workspace has published, and nothing else.',
      middleware: jsonBody(),
      request: { params: workspaceParam, body: body(schemas.newReadKey) },
      responses: {
        201: json(schemas.addedReadKey, 'The key'),
        ...problems(400, 404, 409, 410, 413, 415),
      },
    }),
    async (c) => {
      const { db, workspaceId, principal } = await scopeIn(c);
      const { name } = c.req.valid('json');
      const added = await addReadKey(db, workspaceId, { name, by: toStored(principal) }).catch(nameTaken);
      if (!added) throw tooMany();
      void bus.publish(FILES_CHANGED, { workspaceId });
      return c.json(added, 201, { 'cache-control': 'no-store' });
    },
  );

  app.openapi(
    personRoute({
      method: 'delete',
      path: `${KEYS}/{key}`,
      tags,
      summary: 'Remove a read key',
      description: 'The key stops working at once on this pod, and on other pods within 5 seconds.',
      request: { params: workspaceParam.extend({ key: z.uuid() }) },
      responses: { 204: { description: 'The key is removed' }, ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { db, workspaceId } = await scopeIn(c);
      const { key } = c.req.valid('param');
      if (!(await deleteReadKey(db, workspaceId, key))) throw notFound('read_key', key);
      void bus.publish(FILES_CHANGED, { workspaceId });
      return c.body(null, 204);
    },
  );
}

function nameTaken(error: unknown): never {
  if (sqlState(error) !== '23505') throw error;
  throw new Problem({
    status: 409,
    code: 'read_key_exists',
    detail: 'The workspace has a read key with this name; choose another name, or remove that one.',
  });
}

function tooMany(): Problem {
  return new Problem({
    status: 409,
    code: 'too_many_read_keys',
    detail: `A workspace may have at most ${MOST_READ_KEYS} read keys; remove one first.`,
  });
}
