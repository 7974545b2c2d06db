// Agents: roles and models with the tools that they may use, built in, given by the caller, or of MCP servers.

import type { PolicyRule } from '@continuo/protocol';
import { createAgents, type Agents } from '../agents/agent.ts';
import { createRoles, subscribeRoles, type Roles } from '../agents/roles.ts';
import type { Bus } from '../bus/bus.ts';
import { loadLayers } from '../context/layers.ts';
import { createPacks } from '../context/packs.ts';
import type { Packs } from '../context/request.ts';
import type { Pool } from '../db/pool.ts';
import { createCalendarTools } from '../calendar/tools.ts';
import { askPerson } from '../executors/ask-person.ts';
import { createFileTools } from '../files/tools/index.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { createContentTools } from '../content/tools.ts';
import { createKnowledgeTools } from '../knowledge/tools/index.ts';
import { lookBackTool } from '../context/look-back.ts';
import { createMcp, type Mcp } from '../mcp/mcp.ts';
import type { Models } from '../models/catalog.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createSandboxTools, SANDBOX_TOOLS } from '../sandbox/tools/index.ts';
import { createChatFiles } from '../threads/chats/chat-files.ts';
import { createNoteTools } from '../threads/notes.ts';
import { createWebTools } from '../web/tools.ts';
import { readPolicy } from '../workspaces/policies.ts';
import { createToolRegistry, type ToolRegistry } from '../tools/registry.ts';
import type { Secrets } from '../workspaces/secrets.ts';
import type { ServerOptions } from './options.ts';

export interface WiredAgents {
  readonly agents: Agents;
  readonly packs: Packs;
  readonly roles: Roles;
  readonly mcp: Mcp;
  /** The tools of every workspace; those of MCP servers are not among them. */
  readonly toolNames: readonly string[];
}

interface AgentsOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly models: Models;
  readonly workspaces: Workspaces;
  readonly knowledge: Knowledge;
  readonly outgoing: Outgoing;
  readonly secrets: Secrets;
  readonly sandbox: Sandbox | null;
}

export async function wireAgents(
  { config, log, env, tools = [] }: ServerOptions,
  { pool, bus, models, workspaces, knowledge, outgoing, secrets, sandbox }: AgentsOptions,
): Promise<WiredAgents> {
  const rulesOf = async (workspaceId: string, role: readonly PolicyRule[]) => ({
    workspace: (await readPolicy(pool, workspaceId)) ?? [],
    role,
  });
  const worldWith = (role: readonly PolicyRule[]) => {
    const rules = (workspaceId: string) => rulesOf(workspaceId, role);
    return { pool, workspaces, knowledge, chats: createChatFiles(pool), rules };
  };
  const toolsWith = (role: readonly PolicyRule[]): ToolRegistry => {
    const world = worldWith(role);
    return createToolRegistry([
      ...createFileTools(world),
      ...createNoteTools(world),
      ...createKnowledgeTools(world),
      lookBackTool(pool),
      ...createSandboxTools(world, sandbox),
      ...createContentTools({ pool, bus, quotaBytes: config.workspaceBytes }),
      ...createWebTools(config, { outgoing, env }),
      ...(config.calendar ? createCalendarTools({ ...world, now: Date.now }) : []),
      ...tools,
    ]);
  };
  const registry = toolsWith([]);
  const roles = await createRoles(pool, [...new Set([...registry.names, ...SANDBOX_TOOLS])]);
  subscribeRoles(bus, roles);
  const mcp = createMcp({ pool, bus, log, now: Date.now, env, outgoing, secrets });
  const agents = createAgents({
    models,
    roles,
    tools: registry,
    toolsFor: oncePerKey(toolsWith),
    toolsOf: (workspaceId) => mcp.toolsOf(workspaceId),
    executorTools: [askPerson],
    rulesOf,
  });
  const packs = createPacks({ pool, layers: await loadLayers(), bus, now: Date.now });
  return { agents, packs, roles, mcp, toolNames: registry.names };
}

/** Caches the value for each key, for as long as the key itself is in use. */
function oncePerKey<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const cache = new WeakMap<K, V>();
  return (key) => {
    const value = cache.get(key) ?? make(key);
    cache.set(key, value);
    return value;
  };
}
