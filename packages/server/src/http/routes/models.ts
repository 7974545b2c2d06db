// Lists the models that are available here, and what the others lack.

import { createRoute, z } from '@hono/zod-openapi';
import type { App, HttpContext } from '../app.ts';
import { json } from '../kernel/shared.ts';

const models = z
  .object({
    default: z.string().meta({
      description: 'The model that answers if neither the message, the chat nor the role names one.',
    }),
    models: z.array(z.string()).meta({
      description: 'The known models. Any other `provider/model` of a usable provider works, too.',
    }),
    providers: z.array(
      z.object({
        name: z.string(),
        usable: z.boolean(),
        set: z
          .array(z.string())
          .meta({ description: 'Environment variables; any one of them makes the provider usable.' }),
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
      summary: 'List the models',
      responses: { 200: json(models, 'The models') },
    }),
    (c) => c.json({ default: catalog.default, ...catalog.list() }, 200),
  );
}
