// Decides who may use the server. On loopback there is no login, so a web page in the user's browser must not reach the API. The
// guard checks the Host header of every request (against DNS rebinding) and the Origin header if there is one, and pages of other
// origins cannot embed answers. With an API key, every route except /healthz, /readyz and /hooks/… requires the key; a browser without it
// gets only the console, which asks for the key.

import type { HttpBindings } from '@hono/node-server';
import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../hosts/loopback.ts';
import type { AccessKey } from '../../identity/principal.ts';
import { createPrincipalOf, secretIn } from './person.ts';
import { Problem } from './problem.ts';

/** Answers a request that needs no key, such as one for the console's files; null if it needs one. */
export type PublicPages = (c: Context) => Promise<Response | null>;

declare module 'hono' {
  interface ContextVariableMap {
    /** Why the request would be refused; only for published content, whose route decides whether that applies. Most are not. */
    refusal: (() => Problem) | undefined;
  }
}

/** Below this path is what workspaces have published. A read key, or a preview link, may open it. */
const PUBLIC_CONTENT = '/api/v1/content/';

/** Health probes send no key. */
const OPEN = ['/healthz', '/readyz'];
/** The token in the address of a trigger is its key. */
const TRIGGERS = '/hooks/';

/** The server's API key counts as a person, in every workspace. */
const API_KEY = { name: 'api', isPerson: true, workspaceId: null } as const;

export interface Guarded extends Pick<Config, 'host' | 'apiKey' | 'allowedHosts' | 'allowedOrigins'> {
  readonly personToken: string;
  /** Access keys in addition to the API key. */
  readonly keys?: readonly AccessKey[] | undefined;
}

export function guard(
  config: Guarded,
  publicPages: PublicPages = async () => null,
): MiddlewareHandler<{ Bindings: Partial<HttpBindings> }> {
  const allowed = new Set(config.allowedHosts.map(canonical));
  const origins = new Set(config.allowedOrigins);
  const apiKey = config.apiKey === undefined ? [] : [{ ...API_KEY, secret: config.apiKey }];
  const principalOf = createPrincipalOf(config.personToken, [...apiKey, ...(config.keys ?? [])]);
  const own = canonical(config.host);
  const everywhere = own === '0.0.0.0' || own === '::';

  // A server that listens on every address cannot list them all. Any IP address is accepted, because only names can be rebound.
  const isOurs = (name: string): boolean =>
    isLoopback(name) || name === own || allowed.has(name) || (everywhere && isIP(name) !== 0);

  // Who may read published content depends on its workspace, which only the route knows.
  const routeDecides = (c: Context): boolean =>
    (c.req.method === 'GET' || c.req.method === 'HEAD') && c.req.path.startsWith(PUBLIC_CONTENT);

  // Cached, because nearly every request names the same host.
  let lastOurs: string | null = null;

  return async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    if (host !== lastOurs) {
      if (!isOurs(nameIn(`http://${host}`))) throw hostNotAllowed(host);
      lastOurs = host;
    }
    const origin = c.req.header('origin');
    const ownPage = origin === undefined || isSame(origin, host) || allowed.has(nameIn(origin));
    const foreign = !ownPage && origins.has(origin);
    const refuse = (refusal: () => Problem): void => {
      if (!routeDecides(c)) throw refusal();
      c.set('refusal', refusal);
    };
    if (!ownPage && !foreign && c.req.method === 'OPTIONS' && c.req.path.startsWith(PUBLIC_CONTENT))
      return preflight(c, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
      });
    if (!ownPage && !foreign) refuse(() => originNotAllowed(origin));
    const { outgoing } = c.env ?? {};
    if (foreign) {
      for (const [name, value] of corsHeaders(origin)) outgoing?.setHeader(name, value);
      if (c.req.method === 'OPTIONS') return preflight(c, { 'access-control-allow-methods': METHODS });
    } else {
      // Set on the raw response, so that answers which are streamed past the framework have it too.
      outgoing?.setHeader('cross-origin-resource-policy', 'same-origin');
      if (isEmbedding(c)) refuse(embedded);
    }
    const principal = principalOf(c, ownPage && isSameOrigin(c, host));
    c.set('principal', principal);
    const isKnown = principal.kind === 'key' || principal.isPerson;
    const isOpen = OPEN.includes(c.req.path) || c.req.path.startsWith(TRIGGERS);
    if (config.apiKey === undefined || isKnown || isOpen) return next();
    if (routeDecides(c)) {
      refuse(() => keyRefused(c));
      return next();
    }
    const shown = await publicPages(c);
    if (!shown) throw keyRefused(c);
    return shown;
  };
}

/** The response headers that a page of an allowed origin may read. */
const EXPOSED = [
  'content-disposition',
  'content-location',
  'content-range',
  'etag',
  'idempotency-replayed',
  'last-event-id',
  'location',
  'retry-after',
  'www-authenticate',
  'x-vercel-ai-ui-message-stream',
].join(', ');

/** Without credentials: such a page sends a key or a token itself, and does not need the console's cookie. */
function corsHeaders(origin: string): readonly (readonly [string, string])[] {
  return [
    ['access-control-allow-origin', origin],
    ['access-control-expose-headers', EXPOSED],
    ['vary', 'origin'],
  ];
}

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** A preflight lets no page read anything: the request that follows is decided by itself. */
function preflight(c: Context, headers: Readonly<Record<string, string>>): Response {
  const wanted = c.req.header('access-control-request-headers');
  return c.body(null, 204, {
    ...headers,
    ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
    ...(c.req.header('access-control-request-private-network') !== undefined && {
      'access-control-allow-private-network': 'true',
    }),
    'access-control-max-age': '600',
  });
}

/** Whether a page of another origin embeds the answer (image, script, frame). Following a link to the server is not embedding. */
function isEmbedding(c: Context): boolean {
  const from = c.req.header('sec-fetch-site');
  if (from !== 'cross-site' && from !== 'same-site') return false;
  return c.req.header('sec-fetch-mode') !== 'navigate' || c.req.header('sec-fetch-dest') !== 'document';
}

/** The host name in an http URL, without brackets, port or final dot; '' for anything else. */
function nameIn(url: string): string {
  if (!/^https?:\/\/[^/?#@\\\s]+$/.test(url) || !URL.canParse(url)) return '';
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function canonical(name: string): string {
  return nameIn(`http://${isIP(name) === 6 ? `[${name}]` : name}`);
}

/**
 * Whether the request does not come from a page of another origin. A proxy may replace an allowed name in Host by another one;
 * then the browser's `Sec-Fetch-Site` decides, which a page cannot change.
 */
function isSameOrigin(c: Context, host: string): boolean {
  const origin = c.req.header('origin');
  if (origin === undefined || isSame(origin, host)) return true;
  return c.req.header('sec-fetch-site') === 'same-origin';
}

/** Compares the port too: another server on this machine is another origin. */
function isSame(origin: string, host: string): boolean {
  if (nameIn(origin) === '') return false;
  const { protocol, host: from } = new URL(origin);
  return from === new URL(`${protocol}//${host}`).host;
}

function hostNotAllowed(host: string): Problem {
  return new Problem({
    status: 403,
    code: 'host_not_allowed',
    detail:
      `This server does not accept requests for the host ${JSON.stringify(host)}. ` +
      'To allow the host, add it to CONTINUO_ALLOWED_HOSTS.',
  });
}

function originNotAllowed(origin: string): Problem {
  return new Problem({
    status: 403,
    code: 'origin_not_allowed',
    detail:
      `Pages from ${JSON.stringify(origin)} may not use this server. ` +
      'To allow them, add the origin to CONTINUO_ALLOWED_ORIGINS.',
  });
}

function embedded(): Problem {
  return new Problem({
    status: 403,
    code: 'embedding_not_allowed',
    detail:
      'A page of another origin may not embed resources of this server. Open the address in its own tab, ' +
      'or add the page’s origin to CONTINUO_ALLOWED_ORIGINS and fetch with CORS.',
  });
}

function keyRefused(c: Context): Problem {
  return new Problem({
    status: 401,
    code: 'unauthorized',
    detail:
      secretIn(c) === undefined
        ? 'This server requires an API key: send it as "Authorization: Bearer <key>" or "x-api-key: <key>".'
        : 'The API key is not valid.',
    headers: { 'www-authenticate': 'Bearer realm="continuo"' },
  });
}
