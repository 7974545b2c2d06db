// Paths in URLs. The path of a file is read from the raw request target: URL parsing and routing would turn `..`, `%2e%2e`, `%2F`
// and `//` into other paths. Each of these is refused with an error that explains it.

import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { isReadOnly, parseFolder, parsePath, type FilePath, type ParsedPath } from '../../files/paths.ts';
import { Problem } from './problem.ts';
import { refuseNul } from './shared.ts';

const API = '/api/';
const FILES = /^\/api\/v1\/workspaces\/[^/]+\/files(?:\/(.*))?$/s;

type Request = Context<{ Bindings: HttpBindings }>;

/** The raw request target, without its query. */
function target(c: Request): string {
  const url = (c.env.incoming.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '');
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Refuses, before routing, a target that URL parsing would turn into another path. */
export const refuseDetours: MiddlewareHandler<{ Bindings: HttpBindings }> = async (c, next) => {
  const path = target(c);
  if (c.req.path.startsWith(API) || path.startsWith(API)) {
    if (path.includes('#')) throw invalidPath('write # in a path as %23');
    const names = path.split('/').map((name) => name.replaceAll(/%2e/gi, '.'));
    if (names.includes('.') || names.includes('..'))
      throw invalidPath('a path must not contain "." or ".."; write the path that it leads to');
    if (FILES.test(path)) filePath(c);
  }
  await next();
};

/** Refuses NUL in the path and the query before any route sees it: the database cannot store NUL in text. */
export const refuseNulInTarget: MiddlewareHandler<{ Bindings: HttpBindings }> = async (c, next) => {
  if (!c.req.url.includes('%00')) return next();
  const { pathname, search } = new URL(c.req.url);
  if (pathname.includes('%00')) refuseNul(parameterWithNul(c, pathname), '\0', 'params');
  if (search.includes('%00'))
    for (const [name, values] of Object.entries(c.req.queries()))
      for (const text of [name, ...values]) refuseNul(name.replaceAll('\0', '\ufffd'), text, 'query');
  await next();
};

/** The name of the route parameter that contains NUL. */
function parameterWithNul(c: Request, pathname: string): string {
  const place = pathname.split('/').findIndex((name) => name.includes('%00'));
  const name = matchedRoutes(c).at(-1)?.path.split('/')[place];
  return name?.startsWith(':') ? name.slice(1) : 'path';
}

/** The file path in a request to …/files/{path}. */
export function filePath(c: Request): FilePath {
  const names = FILES.exec(target(c))?.[1]?.split('/') ?? [];
  return accepted(parsePath(`/${names.map(decode).join('/')}`));
}

function decode(name: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(name);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw invalidPath(`${JSON.stringify(name.slice(0, 40))} is not percent-encoded UTF-8`);
  }
  if (decoded.includes('/'))
    throw invalidPath('a name must not contain a slash, and %2F does not stand for one');
  return decoded;
}

/** A file path from a query or a body. */
export function fileAt(given: string): FilePath {
  return accepted(parsePath(given));
}

export function folderAt(given: string): FilePath {
  return accepted(parseFolder(given));
}

function accepted(parsed: ParsedPath): FilePath {
  if (parsed.ok) return parsed.path;
  throw invalidPath(parsed.problem);
}

export function writable(path: FilePath): FilePath {
  if (!isReadOnly(path)) return path;
  throw new Problem({
    status: 403,
    code: 'read_only',
    detail: `${path.path} is read-only: everything under /chats is made from threads and changes with them.`,
  });
}

function invalidPath(problem: string): Problem {
  return new Problem({ status: 400, code: 'invalid_path', detail: `The path is not valid: ${problem}.` });
}

/** A path encoded for a URL. */
export function inUrl(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
