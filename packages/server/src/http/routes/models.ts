// Lists the models that are available here, and what the others lack.

import { createRoute, z } from '@hono/zod-openapi';
import type { App, HttpContext } from '../app.ts';
import { json } from '../kernel/shared.ts';

const models = z
  .object({
    default: z.string().meta({ description: 'Answers where neither message, chat nor role names one.' }),
    models: z.array(z.string()).meta({
      description: 'Those that are known; any other `provider/model` of a usable provider can be named, too.',
    }),
    providers: z.array(
      z.object({
        name: z.string(),
        usable: z.boolean(),
        set: z.array(z.string()).meta({ description: 'The variables, any one of which makes it usable.' }),
      }),
    ),
  })
  .meta({ id: 'Models' });

export function modelRoutes(app: App, { models: catalog }: HttpContext): void {
  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/models',
      tags: ['models'],
      summary: 'List the models that can answer',
      responses: { 200: json(models, 'The models') },
    }),
    (c) => c.json({ default: catalog.default, ...catalog.list() }, 200),
  );
}
