// Sensitive actions need a person: decisions, rules, MCP servers and role files. The guard checks whether a request carries the
// person's token; routes declare here that they need it. Such a route has `security: person` in the OpenAPI document, and a route
// that needs it only for some requests lists it as one of two alternatives. A test checks every route of the document.

import { createRoute, z, type RouteConfig } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { governsAgents, type FilePath } from '../../files/paths.ts';
import { ANONYMOUS, createSecretCheck, type AccessKey, type Principal } from '../../identity/principal.ts';
import type { App, HttpContext } from '../app.ts';
import { jsonBody } from './body.ts';
import { Problem } from './problem.ts';
import { body, json, problems } from './shared.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** On whose behalf the request acts; set by the guard. */
    principal: Principal;
  }
}

const SCHEME = 'person';
/** For a route that calls `requirePerson` for some requests only. */
export const SOMETIMES_PERSON = [{}, { [SCHEME]: [] }];

const COOKIE_DAYS = 365;

/** Like `createRoute`, for a route that only a person may use. */
export function personRoute<P extends string, R extends Omit<RouteConfig, 'path'> & { path: P }>(route: R) {
  const { middleware = [] } = route;
  return createRoute<P, R>({
    ...route,
    security: [{ [SCHEME]: [] }],
    middleware: [onlyPersons, ...(Array.isArray(middleware) ? middleware : [middleware])],
    responses: { ...problems(403), ...route.responses },
  });
}

const onlyPersons: MiddlewareHandler = async (c, next) => {
  requirePerson(c);
  await next();
};

/** `what` names the part of the request that needs a person, if it is not all of it. */
export function requirePerson(c: Context, what = 'This'): void {
  if (c.get('principal').isPerson) return;
  const sent = c.req.header('authorization') !== undefined || c.req.header('x-api-key') !== undefined;
  throw new Problem({
    status: 403,
    code: 'person_required',
    detail:
      `${what} needs a person${sent ? ', and the token in the request is not the person’s token' : ''}. In the console, open the link that the server printed at its start, ` +
      'or that `continuo open` prints; a program sends the token from that link as "Authorization: Bearer <token>".',
  });
}

export const ROLE_FILES = 'Only a person may change `/AGENTS.md` and the files in `/agents` and `/.agents`.';

/** Only a person may write role files, which define what agents may do, and skills and AGENTS.md, which instruct them. */
export function requirePersonFor(c: Context, ...paths: readonly FilePath[]): void {
  const guarded = paths.find(governsAgents);
  if (guarded) requirePerson(c, `Changing ${guarded.path}`);
}

/**
 * Finds the principal of a request. `sameOrigin` says that the request does not come from a page of another origin; browsers send
 * cookies with every request, so only then does the cookie count. The cookie holds the person's token, never a key.
 */
export function createPrincipalOf(
  personToken: string,
  keys: readonly AccessKey[],
): (c: Context, sameOrigin: boolean) => Principal {
  const bySecret = createSecretCheck(personToken, keys);
  const byCookie = createSecretCheck(personToken, []);
  return (c, sameOrigin) => {
    const given = secretIn(c);
    if (given !== undefined) return bySecret(given) ?? ANONYMOUS;
    if (!sameOrigin || c.req.header('cookie') === undefined) return ANONYMOUS;
    const cookie = getCookie(c, cookieName(c));
    return (cookie !== undefined && byCookie(cookie)) || ANONYMOUS;
  };
}

/** The key or token in the request. */
export function secretIn(c: Context): string | undefined {
  const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return bearer ?? c.req.header('x-api-key');
}

/** Includes the port, because browsers share cookies between all ports of a host. */
function cookieName(c: Context): string {
  const port = /:(\d+)$/.exec(c.req.header('host') ?? '')?.[1] ?? 'default';
  return `continuo-person-${port}`;
}

export function personRoutes(app: App, { personToken }: HttpContext): void {
  app.openAPIRegistry.registerComponent('securitySchemes', SCHEME, {
    type: 'http',
    scheme: 'bearer',
    description:
      'The person’s token, or the server’s API key if it has one. The console keeps the token as a cookie.',
  });
  const principalWith = createSecretCheck(personToken, []);
  const state = z.object({ person: z.boolean() }).meta({ id: 'PersonState' });

  app.openapi(
    createRoute({
      method: 'get',
      path: '/api/person',
      tags: ['person'],
      summary: 'Whether this client may make requests that need a person',
      responses: { 200: json(state, 'Whether the request carries the person’s token') },
    }),
    (c) => c.json({ person: c.get('principal').isPerson }, 200, { 'cache-control': 'no-store' }),
  );

  app.openapi(
    createRoute({
      method: 'post',
      path: '/api/person',
      tags: ['person'],
      summary: 'Store the person’s token as a cookie in this browser',
      description: `The console sends the token from the link that opened it. The cookie is HttpOnly and SameSite=Strict, and lasts ${COOKIE_DAYS} days.`,
      middleware: jsonBody({ limit: 4 * 1024 }),
      request: { body: body(z.strictObject({ token: z.string() }).meta({ id: 'PersonToken' })) },
      responses: { 200: json(state, 'The cookie is set'), ...problems(400, 403, 413, 415) },
    }),
    (c) => {
      const { token } = c.req.valid('json');
      if (!principalWith(token)) throw wrongToken();
      setCookie(c, cookieName(c), personToken, {
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
        maxAge: COOKIE_DAYS * 86_400,
        secure: c.req.header('origin')?.startsWith('https:') ?? false,
      });
      return c.json({ person: true }, 200, { 'cache-control': 'no-store' });
    },
  );
}

function wrongToken(): Problem {
  return new Problem({
    status: 403,
    code: 'wrong_token',
    detail:
      'This is not the person’s token of this server. `continuo open`, run where the server was started, prints the link with the token.',
  });
}
