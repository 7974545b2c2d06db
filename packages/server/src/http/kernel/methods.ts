// Answers requests without a route: 405 with the allowed methods if the path exists for other methods, otherwise 404.

import type { NotFoundHandler } from 'hono';
import type { App } from '../app.ts';
import { Problem, problemResponse } from './problem.ts';

/** For `app.notFound`. Call it after all routes are registered. */
export function notFoundHandler(app: App): NotFoundHandler {
  const routes = app.routes
    // Middleware is not a route.
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, matches: matcher(path) }));
  return ({ req: { method, path } }) => {
    const allowed = new Set(routes.filter(({ matches }) => matches.test(path)).map((route) => route.method));
    if (allowed.size === 0)
      return problemResponse(
        new Problem({
          status: 404,
          code: 'not_found',
          detail: `There is no ${method} ${path}. GET /docs lists the routes.`,
        }),
      );
    if (allowed.has('GET')) allowed.add('HEAD');
    const allow = [...allowed].toSorted().join(', ');
    return problemResponse(
      new Problem({
        status: 405,
        code: 'method_not_allowed',
        detail: `${path} does not support ${method}; allowed: ${allow}.`,
        headers: { allow },
      }),
    );
  };
}

/** `/a/:id/files/*` as a regular expression. */
function matcher(path: string): RegExp {
  const pattern = path
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:\w+/g, '[^/]+')
    .replace(/\/\\\*$/, '(?:/.*)?');
  return new RegExp(`^${pattern}$`, 's');
}
