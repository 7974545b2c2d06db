// The HTTP surface: guards first, then the routes, then problem+json for whatever went wrong.

import { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import type { Pod } from '../actors/pod.ts';
import type { Agents } from '../agents/agent.ts';
import type { Roles } from '../agents/roles.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { Storage } from '../db/storage.ts';
import type { Hints } from '../log/hints.ts';
import type { Recent } from '../log/recent.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { Metrics } from '../metrics.ts';
import type { Models } from '../models/catalog.ts';
import type { OriginOf } from '../runs/origin-of.ts';
import type { Workspaces } from '../workspace/workspace.ts';
import { agentRoutes } from './agent.ts';
import { approvalRoutes } from './approvals.ts';
import { agUiRoutes } from './ag-ui.ts';
import { aiSdkRoutes } from './ai-sdk.ts';
import { archiveRoutes } from './archive.ts';
import { chatEventRoutes } from './chat-events.ts';
import { changeRoutes } from './changes.ts';
import { chatAuditRoutes } from './chat-audit.ts';
import { chatControlRoutes } from './chat-control.ts';
import { chatRoutes } from './chats.ts';
import { createConsole } from './console.ts';
import { docsRoute } from './docs.ts';
import { fileRoutes } from './files.ts';
import { folderRoutes } from './folders.ts';
import { guard } from './guard.ts';
import { refuseDetours, refuseNulInTarget } from './paths.ts';
import { notFoundHandler } from './methods.ts';
import { errorHandler, validationHook } from './problem.ts';
import { healthRoutes } from './health.ts';
import { hintRoutes } from './hints.ts';
import { indexRoute } from './index-route.ts';
import { modelRoutes } from './models.ts';
import { personRoutes } from './person.ts';
import { policyRoutes } from './policies.ts';
import { roleRoutes } from './roles.ts';
import { mcpRoutes } from './mcp.ts';
import { runListRoutes } from './run-list.ts';
import { runRoutes } from './runs.ts';
import type { Streams } from './sse.ts';
import { toolResultRoutes } from './tool-results.ts';
import { threadEventRoutes } from './thread-events.ts';
import { threadRoutes } from './threads.ts';
import { usageRoutes } from './usage.ts';
import { VERSION } from './version.ts';
import { versionRoutes } from './versions.ts';
import { workspaceRoutes } from './workspaces.ts';

export interface HttpContext {
  readonly config: Config;
  readonly pool: Pool;
  readonly storage: Storage;
  readonly pod: Pod;
  readonly agents: Agents;
  readonly models: Models;
  readonly roles: Roles;
  readonly originOf: OriginOf;
  readonly workspaces: Workspaces;
  readonly mcp: Mcp;
  readonly streams: Streams;
  readonly recent: Recent;
  readonly hints: Hints;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** Who sends it is a person. */
  readonly personToken: string;
  /** Where the console's build is. */
  readonly consoleFolder: string;
  readonly log: Logger;
}

export type App = OpenAPIHono<{ Bindings: HttpBindings }>;

export function createApp(context: HttpContext): App {
  const app: App = new OpenAPIHono({ defaultHook: validationHook });
  app.onError(errorHandler(context.log, context.storage));
  const toConsole = createConsole(context.consoleFolder);
  app.use(guard({ ...context.config, personToken: context.personToken }, toConsole));
  app.use(refuseDetours);
  app.use(refuseNulInTarget);
  // First: it hears what the routes after it have done.
  hintRoutes(app, context);
  threadRoutes(app, context);
  threadEventRoutes(app, context);
  runRoutes(app, context);
  runListRoutes(app, context);
  chatRoutes(app, context);
  chatControlRoutes(app, context);
  chatAuditRoutes(app, context);
  approvalRoutes(app, context);
  modelRoutes(app, context);
  roleRoutes(app, context);
  policyRoutes(app, context);
  workspaceRoutes(app, context);
  fileRoutes(app, context);
  folderRoutes(app, context);
  versionRoutes(app, context);
  changeRoutes(app, context);
  archiveRoutes(app, context);
  chatEventRoutes(app, context);
  agentRoutes(app, context);
  aiSdkRoutes(app, context);
  agUiRoutes(app, context);
  toolResultRoutes(app, context);
  usageRoutes(app, context);
  mcpRoutes(app, context);
  personRoutes(app, context);
  indexRoute(app);
  healthRoutes(app, context);
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Continuo', version: VERSION, description: 'The durable agent server.' },
  });
  docsRoute(app);
  const notFound = notFoundHandler(app);
  app.notFound(async (c) => (await toConsole(c)) ?? notFound(c));
  return app;
}
