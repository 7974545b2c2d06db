// Who may talk to the server. On loopback nobody logs in, so a page in somebody's browser must not
// reach it: the Host is checked on every request (DNS rebinding makes a foreign name point here),
// and so is the Origin, where there is one. With an API key, every route but /healthz wants it; who has none
// gets to the console, which asks for it, and nowhere else.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { isLoopback } from '../config.ts';
import type { Config } from '../config.ts';
import type { Console } from './console.ts';
import { Problem } from './problem.ts';

export function guard(
  config: Pick<Config, 'host' | 'apiKey' | 'allowedHosts'>,
  toConsole: Console = async () => null,
): MiddlewareHandler {
  const allowed = new Set(config.allowedHosts.map(canonical));
  const own = canonical(config.host);
  const everywhere = own === '0.0.0.0' || own === '::';
  const digest = config.apiKey === undefined ? undefined : sha256(config.apiKey);

  // Bound to every address, the server cannot know them all; an address, unlike a name, cannot be rebound.
  const isOurs = (name: string): boolean =>
    isLoopback(name) || name === own || allowed.has(name) || (everywhere && isIP(name) !== 0);

  // Nearly every request names the same host.
  let lastOurs: string | null = null;

  return async (c, next) => {
    const host = c.req.header('host') ?? new URL(c.req.url).host;
    if (host !== lastOurs) {
      if (!isOurs(nameIn(`http://${host}`))) throw hostNotAllowed(host);
      lastOurs = host;
    }
    const origin = c.req.header('origin');
    if (origin !== undefined && !isSame(origin, host) && !allowed.has(nameIn(origin)))
      throw originNotAllowed(origin);
    const refused = digest && c.req.path !== '/healthz' ? keyRefused(c, digest) : null;
    if (!refused) return next();
    const shown = await toConsole(c);
    if (!shown) throw refused;
    return shown;
  };
}

/** The name in an http URL, without brackets, port or final dot; '' for anything else. */
function nameIn(url: string): string {
  if (!/^https?:\/\/[^/?#@\\\s]+$/.test(url) || !URL.canParse(url)) return '';
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function canonical(name: string): string {
  return nameIn(`http://${isIP(name) === 6 ? `[${name}]` : name}`);
}

/** The port counts: another server on this machine is another origin. */
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
      `This server does not answer under the name ${JSON.stringify(host)}. ` +
      'If it should, add the name to CONTINUO_ALLOWED_HOSTS.',
  });
}

function originNotAllowed(origin: string): Problem {
  return new Problem({
    status: 403,
    code: 'origin_not_allowed',
    detail:
      `Pages from ${JSON.stringify(origin)} may not use this server. ` +
      'If they should, add their host name to CONTINUO_ALLOWED_HOSTS.',
  });
}

/** Digests are of one length, so the comparison takes the same time for every guess. */
function keyRefused(c: Context, expected: Buffer): Problem | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const given = bearer ?? c.req.header('x-api-key');
  if (given !== undefined && timingSafeEqual(sha256(given), expected)) return null;
  return new Problem({
    status: 401,
    code: 'unauthorized',
    detail:
      given === undefined
        ? 'This server wants its API key: send it as "Authorization: Bearer <key>" or "x-api-key: <key>".'
        : 'The API key is not the right one.',
    headers: { 'www-authenticate': 'Bearer realm="continuo"' },
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
