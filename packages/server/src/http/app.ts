// Builds the HTTP app: guards first, then the routes, then problem+json for errors.

import { OpenAPIHono } from '@hono/zod-openapi';
import type { HttpBindings } from '@hono/node-server';
import type { Logger } from 'pino';
import type { SandboxState } from '@continuo/protocol';
import type { Pod } from '../actors/pod.ts';
import type { Agents } from '../agents/agent.ts';
import type { Packs } from '../context/request.ts';
import type { Roles } from '../agents/roles.ts';
import type { Triggers } from '../automation/triggers.ts';
import type { Bus } from '../bus/bus.ts';
import type { Config } from '../config/config.ts';
import type { Pool } from '../db/pool.ts';
import type { ReadKeyCheck } from '../content/read-keys.ts';
import type { DatabaseState } from '../db/state.ts';
import type { Storage } from '../db/storage.ts';
import type { Claims } from '../executors/claims.ts';
import type { LogTailCache } from '../log/tail-cache.ts';
import type { AccessKey } from '../identity/principal.ts';
import type { Mcp } from '../mcp/mcp.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Plans } from '../planning/plans.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Models } from '../models/catalog.ts';
import type { ThreadOriginCache } from '../threads/origin-cache.ts';
import type { Secrets } from '../workspaces/secrets.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import type { Sealing } from '../workspaces/sealing.ts';
import { agentRoutes } from './dialects/agent.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { agUiRoutes } from './dialects/ag-ui.ts';
import { aiSdkRoutes } from './dialects/ai-sdk.ts';
import { archiveRoutes } from './routes/archive.ts';
import { chatEventRoutes } from './routes/chat-events.ts';
import { changeRoutes } from './routes/changes.ts';
import { chatAuditRoutes } from './routes/chat-audit.ts';
import { chatExportRoutes } from './routes/chat-export.ts';
import { chatFocusRoutes } from './routes/chat-focus.ts';
import { chatMemoryRoutes } from './routes/chat-memory.ts';
import { chatControlRoutes } from './routes/chat-control.ts';
import { contentRoutes } from './routes/content.ts';
import { publicContentRoutes } from './routes/public-content.ts';
import { chatRoutes } from './routes/chats.ts';
import { createConsole } from './routes/console.ts';
import { provideScopes } from './kernel/scope.ts';
import { docsRoute } from './kernel/docs.ts';
import { contextRoutes } from './routes/context.ts';
import { entityRoutes } from './routes/entities.ts';
import { executionRoutes } from './routes/executions.ts';
import { executorRoutes } from './routes/executors.ts';
import { fileRoutes } from './routes/files.ts';
import { folderRoutes } from './routes/folders.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { searchRoutes } from './routes/search.ts';
import { guard } from './kernel/guard.ts';
import { refuseDetours, refuseNulInTarget } from './kernel/paths.ts';
import { notFoundHandler } from './kernel/methods.ts';
import { onlyHealth } from './kernel/only-health.ts';
import { errorHandler, validationHook } from './kernel/problem.ts';
import { healthRoutes } from './routes/health.ts';
import { hookRoutes } from './routes/hooks.ts';
import { hintRoutes } from './routes/hints.ts';
import { indexRoute } from './routes/index-route.ts';
import { modelRoutes } from './routes/models.ts';
import { planRoutes } from './routes/plans.ts';
import { personRoutes } from './kernel/person.ts';
import { policyRoutes } from './routes/policies.ts';
import { roleRoutes } from './routes/roles.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { projectArchiveRoutes } from './routes/project-archive.ts';
import { projectRoutes } from './routes/projects.ts';
import { runListRoutes } from './routes/run-list.ts';
import { runRoutes } from './routes/runs.ts';
import { secretRoutes } from './routes/secrets.ts';
import type { Streams } from './streams/sse.ts';
import type { WorkspaceHints } from './streams/workspace-hints.ts';
import { readKeyRoutes } from './routes/read-keys.ts';
import { trashRoutes } from './routes/trash.ts';
import { triggerRoutes } from './routes/triggers.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { toolResultRoutes } from './routes/tool-results.ts';
import { threadEventRoutes } from './routes/thread-events.ts';
import { threadRoutes } from './routes/threads.ts';
import { usageRoutes } from './routes/usage.ts';
import { VERSION } from './kernel/version.ts';
import { versionRoutes } from './routes/versions.ts';
import { workspaceRoutes } from './routes/workspaces.ts';

/** What routes use besides the database, which they get with a scope (kernel/scope.ts). */
export interface HttpContext {
  readonly config: Config;
  readonly databaseState: () => Promise<DatabaseState>;
  readonly storage: Storage;
  readonly bus: Bus;
  readonly pod: Pod;
  readonly agents: Agents;
  readonly packs: Packs;
  readonly models: Models;
  readonly roles: Roles;
  readonly originOf: ThreadOriginCache;
  readonly workspaces: Workspaces;
  readonly knowledge: Knowledge;
  readonly plans: Plans;
  readonly mcp: Mcp;
  readonly secrets: Secrets;
  readonly triggers: Triggers;
  /** What executors do: claims, events, heartbeats. */
  readonly claims: Claims;
  /** The keys of sites that read published content. */
  readonly readKeys: ReadKeyCheck;
  /** Seals the secrets of webhooks and triggers. */
  readonly sealing: Sealing;
  readonly streams: Streams;
  readonly recent: LogTailCache;
  readonly hints: WorkspaceHints;
  /** Whether commands can run on this server. */
  readonly sandbox: SandboxState;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** The secret that proves that a person makes the request. */
  readonly personToken: string;
  /** Access keys in addition to the API key. */
  readonly keys?: readonly AccessKey[] | undefined;
  /** The folder of the console's build. */
  readonly consoleFolder: string;
  readonly log: Logger;
}

export type App = OpenAPIHono<{ Bindings: HttpBindings }>;

export function createApp(context: HttpContext, pool: Pool): App {
  const app: App = new OpenAPIHono({ defaultHook: validationHook });
  app.onError(errorHandler(context.log, context.storage));
  const toConsole = createConsole(context.consoleFolder);
  app.use(guard({ ...context.config, personToken: context.personToken, keys: context.keys }, toConsole));
  app.use(refuseDetours);
  app.use(refuseNulInTarget);
  if (context.config.role === 'worker') app.use(onlyHealth);
  provideScopes(app, { ...context, pool });
  hintRoutes(app, context);
  threadRoutes(app, context);
  threadEventRoutes(app, context);
  runRoutes(app, context);
  runListRoutes(app);
  contextRoutes(app);
  chatRoutes(app, context);
  chatControlRoutes(app, context);
  chatAuditRoutes(app);
  chatExportRoutes(app, context);
  chatFocusRoutes(app, context);
  chatMemoryRoutes(app, context);
  approvalRoutes(app, context);
  modelRoutes(app, context);
  roleRoutes(app, context);
  policyRoutes(app);
  workspaceRoutes(app, context);
  fileRoutes(app, context);
  folderRoutes(app, context);
  searchRoutes(app, context);
  versionRoutes(app, context);
  trashRoutes(app, context);
  changeRoutes(app, context);
  archiveRoutes(app, context);
  projectRoutes(app, context);
  projectArchiveRoutes(app, context);
  // Before the entities: `plans/states` is not the id of a plan.
  planRoutes(app, context);
  entityRoutes(app, context);
  contentRoutes(app, context);
  publicContentRoutes(app, context);
  chatEventRoutes(app, context);
  agentRoutes(app, context);
  aiSdkRoutes(app, context);
  agUiRoutes(app, context);
  toolResultRoutes(app);
  executionRoutes(app, context);
  executorRoutes(app, context);
  usageRoutes(app);
  mcpRoutes(app, context);
  scheduleRoutes(app, context);
  secretRoutes(app, context);
  webhookRoutes(app, context);
  triggerRoutes(app, context);
  readKeyRoutes(app, context);
  hookRoutes(app, context);
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
