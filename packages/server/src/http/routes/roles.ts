// The roles, teams and skills of a workspace.

import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { schemas, type Role } from '@continuo/protocol';
import type { KnownRole } from '../../agents/read-roles.ts';
import type { App, HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { json, page, problems } from '../kernel/shared.ts';
import { scopeIn, workspaceParam } from '../kernel/scope.ts';

const tags = ['roles'];

export function roleRoutes(app: App, { roles }: HttpContext): void {
  const find = async (c: Context) => (await roles.of((await scopeIn(c)).workspaceId)).roles;

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/roles',
      tags,
      summary: 'List the roles of a workspace',
      description:
        'The built-in roles and those of the files `/agents/*.md`, by name. A file overrides the built-in role of its name.',
      request: { params: workspaceParam },
      responses: {
        200: json(page(schemas.role), 'The roles, all on one page'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => c.json({ items: [...(await find(c)).values()].map(toWireRole), next: null }, 200),
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/roles/{name}',
      tags,
      summary: 'Read a role',
      request: { params: workspaceParam.extend({ name: z.string() }) },
      responses: { 200: json(schemas.role, 'The role'), ...problems(400, 404, 410) },
    }),
    async (c) => {
      const { name } = c.req.valid('param');
      const known = await find(c);
      const role = known.get(name);
      if (role) return c.json(toWireRole(role), 200);
      throw new Problem({
        status: 404,
        code: 'role_not_found',
        detail: `There is no role ${JSON.stringify(name)}; the roles are: ${[...known.keys()].join(', ')}.`,
      });
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/teams',
      tags,
      summary: 'List the teams of a workspace',
      description:
        'The built-in teams and those of the files `/agents/teams/*.md`, by name. A chat that is opened with the lead’s role is planned by the lead and carried out by the members, unless its mode says otherwise.',
      request: { params: workspaceParam },
      responses: {
        200: json(page(schemas.team), 'The teams, all on one page'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { teams } = await roles.of((await scopeIn(c)).workspaceId);
      return c.json({ items: [...teams.values()], next: null }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/v1/workspaces/{id}/skills',
      tags,
      summary: 'List the skills of a workspace',
      description:
        'The Agent Skills of the files `/.agents/skills/*/SKILL.md`, by name. Every prompt has their names and descriptions; a model reads the rest on demand.',
      request: { params: workspaceParam },
      responses: {
        200: json(page(schemas.skill), 'The skills, all on one page'),
        ...problems(400, 404, 410),
      },
    }),
    async (c) => {
      const { skills } = await roles.of((await scopeIn(c)).workspaceId);
      return c.json({ items: skills.map(({ file: _, ...skill }) => skill), next: null }, 200);
    },
  );
}

function toWireRole({ file: _, ...role }: KnownRole): Role {
  return role;
}
