// Plans: read, approved, and kept equal to their files.

import type { Roles } from '../agents/roles.ts';
import type { Bus } from '../bus/bus.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { Mcp } from '../mcp/mcp.ts';
import { createAutonomousConductor } from '../planning/autonomous/conductor.ts';
import { createPlanConductor } from '../planning/plan-conductor.ts';
import type { PlanningTeam } from '../planning/planning-message.ts';
import { Plans } from '../planning/plans.ts';
import { startPlanKeeper, type PlanKeeper } from '../planning/render.ts';
import type { Conductor, Conductors } from '../runs/children/conductor.ts';
import type { Database } from './database.ts';
import type { ServerOptions } from './options.ts';

interface PlanningOptions {
  readonly bus: Bus;
  readonly workspaces: Workspaces;
  readonly knowledge: Knowledge;
  readonly roles: Roles;
  readonly mcp: Mcp;
  readonly toolNames: readonly string[];
}

export function wirePlanning(
  { config }: ServerOptions,
  { pool, onError }: Database,
  { bus, workspaces, knowledge, roles, mcp, toolNames }: PlanningOptions,
): { readonly plans: Plans; readonly keeper: PlanKeeper; readonly conductors: Conductors } {
  const known = new Set(toolNames);
  const plans = new Plans({
    pool,
    bus,
    workspaces,
    knowledge,
    quotaBytes: config.workspaceBytes,
    vocabulary: async (workspaceId) => {
      const mcpMayHave = await mcp.mayHave(workspaceId);
      return {
        roles: new Set((await roles.of(workspaceId)).roles.keys()),
        tools: { has: (name) => known.has(name) || mcpMayHave(name) },
      };
    },
  });
  workspaces.refreshBy((workspaceId, path) => plans.refresh(workspaceId, path));
  const keeper = startPlanKeeper({ pool, bus, settle: (key) => plans.settle(key), onError });
  const plan = createPlanConductor({
    readPlan: async (key) => {
      const { plan, problems } = await plans.read(key);
      const [first] = problems;
      return { plan, problem: first ? `line ${first.line}, column ${first.column}: ${first.text}` : null };
    },
    changed: (key) => void plans.changed(key).catch(onError),
    readTeam: (workspaceId, name) => readPlanningTeam(roles, workspaceId, name),
    prepare: (queued, goal, agents) => plans.prepareForAgents(queued, goal, agents),
    attach: (key, runId) => plans.attach(key, runId),
  });
  const conductors = new Map<string, Conductor>([
    ['plan', plan],
    ['autonomous', createAutonomousConductor()],
  ]);
  return { plans, keeper, conductors };
}

/** The team with what its roles are for. Roles that do not exist are left out. */
async function readPlanningTeam(
  roles: Roles,
  workspaceId: string,
  name: string,
): Promise<PlanningTeam | null> {
  const known = await roles.of(workspaceId);
  const team = known.teams.get(name);
  if (!team || team.lead === null || team.plan === null) return null;
  const members = [team.lead, ...team.members].flatMap((each) => {
    const role = known.roles.get(each);
    return role ? [{ name: each, description: role.description }] : [];
  });
  return { plan: team.plan, members, text: team.text ?? '' };
}
