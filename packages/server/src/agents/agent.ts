// Creates agents from a workspace, a role and a model. The model is the request's, else the role's, else the server's default;
// the tools are those that the role lists.

import type { Limits, PolicyRule, ThreadScope } from '@continuo/protocol';
import type { Models } from '../models/catalog.ts';
import { EXECUTOR_PREFIX } from '../models/executor-model.ts';
import type { Model } from '../models/model.ts';
import { parseGlob } from '../compute/glob.ts';
import { narrowed, withTools, type AnyTool, type ToolRegistry } from '../tools/registry.ts';
import { judge, type Rules } from '../tools/policy.ts';
import { DEFAULT_POLICY } from '../workspaces/policies.ts';
import type { KnownSkill } from './read-skills.ts';
import type { Guide, KnownRole } from './read-roles.ts';
import { DEFAULT_ROLE, filesToldTo, type Roles } from './roles.ts';

export interface Agent {
  readonly role: string;
  readonly model: Model;
  /** What the role tells its model first. */
  readonly preamble: string;
  /** The version of the role's file; null if the role is built in. */
  readonly roleFile: Pick<Guide, 'id' | 'path' | 'version'> | null;
  /** The workspace's AGENTS.md, which is told to every role. */
  readonly guide: Guide | null;
  /** The files that the role's teams are told, such as a style guide. */
  readonly teamFiles: readonly Guide[];
  /** The workspace's skills that the role may read. */
  skills(): Promise<readonly KnownSkill[]>;
  /** The role's tools that are available now. Waits for tools that are still loading, until the signal aborts. */
  tools(signal: AbortSignal): Promise<ToolRegistry>;
  /** The role's own rules, which apply in addition to the workspace's policy. */
  readonly permissions: readonly PolicyRule[];
  /** The role's limits. A message's own limits take precedence; the server's apply last. */
  readonly limits: Limits;
}

interface Wanted {
  readonly workspaceId: string;
  readonly role?: string | undefined;
  readonly model?: string | undefined;
  /** What the thread is about; the whole workspace if absent. */
  readonly scope?: ThreadScope | undefined;
}

type AgentResult =
  | { readonly ok: true; readonly agent: Agent }
  | { readonly ok: false; readonly code: 'unknown_role' | 'unknown_model'; readonly problem: string };

export interface Agents {
  make(wanted: Wanted): Promise<AgentResult>;
}

export function createAgents({
  models,
  roles,
  tools,
  toolsFor = () => tools,
  toolsOf = () => [],
  executorTools = [],
  rulesOf = async (_, role) => ({ workspace: DEFAULT_POLICY, role }),
}: {
  readonly models: Models;
  readonly roles: Roles;
  /** The tools of every workspace. */
  readonly tools: ToolRegistry;
  /** The same tools for a role with permissions of its own. */
  readonly toolsFor?: (permissions: readonly PolicyRule[]) => ToolRegistry;
  /** A workspace's additional tools, which can change at any time. */
  readonly toolsOf?: (workspaceId: string) => readonly AnyTool[] | Promise<readonly AnyTool[]>;
  /** Tools that executors have in addition, whatever the role lists. */
  readonly executorTools?: readonly AnyTool[];
  /** The policy of a workspace, with the permissions of a role. */
  readonly rulesOf?: (workspaceId: string, role: readonly PolicyRule[]) => Promise<Rules>;
}): Agents {
  return {
    async make({ workspaceId, role: name = DEFAULT_ROLE, model, scope = WORKSPACE }) {
      const { roles: known, guide, skills, ...teams } = await roles.of(workspaceId);
      const role = known.get(name);
      if (!role) {
        const names = [...known.keys()].join(', ');
        const problem = `there is no role ${JSON.stringify(name)}; the roles are: ${names}`;
        return { ok: false, code: 'unknown_role', problem };
      }
      if (role.preamble === null) {
        const { path, line, column, sentence } = role.problem!;
        const problem = `role ${JSON.stringify(name)} cannot be used: ${path}, line ${line}, column ${column}: ${sentence}`;
        return { ok: false, code: 'unknown_role', problem };
      }
      const resolved = models.resolve(model ?? role.model ?? models.default);
      if (!resolved.ok) {
        const whose = model === undefined && role.model !== null ? `role ${JSON.stringify(name)}: ` : '';
        return { ok: false, code: 'unknown_model', problem: `${whose}${resolved.problem}` };
      }
      const inProject = scope.project_id !== null;
      const isExecutor = resolved.model.id.startsWith(EXECUTOR_PREFIX);
      const agent: Agent = {
        role: name,
        model: resolved.model,
        preamble: role.preamble,
        roleFile: fileOf(role),
        guide,
        teamFiles: filesToldTo(name, teams),
        skills: async () => {
          if (skills.length === 0) return skills;
          const rules = await rulesOf(workspaceId, role.permissions);
          const isReadable = ({ path }: KnownSkill) =>
            judge({ tool: 'read', effect: 'pure', paths: [path] }, rules).action !== 'deny';
          return skills.filter(isReadable);
        },
        tools: async (signal) => {
          const further = await unlessAborted(toolsOf(workspaceId), signal);
          const own = role.permissions.length === 0 ? tools : toolsFor(role.permissions);
          const all = withTools(own, further ?? []);
          const offered =
            role.tools !== null
              ? listed(all, role.tools)
              : narrowed(all, (each) => {
                  const tool = all.get(each);
                  return tool?.onlyListed !== true && (inProject || tool?.inProjects !== true);
                });
          return isExecutor ? withTools(offered, executorTools) : offered;
        },
        permissions: role.permissions,
        limits: role.limits,
      };
      return { ok: true, agent };
    },
  };
}

function fileOf({ file, source }: KnownRole): Agent['roleFile'] {
  if (file === null || source.kind !== 'file') return null;
  const { path, version } = source;
  return { id: file, path, version };
}

const WORKSPACE: ThreadScope = { project_id: null };

function listed(tools: ToolRegistry, list: readonly string[]): ToolRegistry {
  const globs = list.map(parseGlob);
  return narrowed(tools, (name) => globs.some((glob) => glob.matches(name)));
}

/** Null if the signal aborts first. Removes its listener, which would otherwise keep memory alive as long as the signal. */
async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T | null> {
  if (!(work instanceof Promise)) return work;
  if (signal.aborted) return null;
  let onAbort = (): void => undefined;
  const aborted = new Promise<null>((resolve) => (onAbort = () => resolve(null)));
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
