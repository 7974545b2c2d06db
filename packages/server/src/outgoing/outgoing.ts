// The one way out: every request to an address that a person or a model named goes through this guard.
//
// 1. Only http and https, without a user or a password in the URL.
// 2. The host is public, or the operator allowed it. Names are judged by all addresses that they resolve to, in the same
//    look-up that the connection uses, so an answer that changes afterwards (DNS rebinding) changes nothing.
// 3. Each hop of a redirect is judged like the first one. A hop to another origin gets no header that may hold a secret.

import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { connect as connectTo, isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, fetch as request, type RequestInit as UndiciInit } from 'undici';
import { parseAllowed, plainHost, type AllowedHost } from '../hosts/allowed-host.ts';
import { addressProblem, nameProblem } from './addresses.ts';

const MOST_REDIRECTS = 5;
const CONNECT_MS = 10_000;

/** The guard does not let the request out. Nothing was sent to the host that the message names. */
export class OutgoingRefused extends Error {
  readonly code = 'outgoing_refused';
}

export interface Outgoing {
  /** Throws `OutgoingRefused` if the URL itself may not be requested. The addresses of a name are judged when it is connected to. */
  readonly require: (url: URL) => void;
  /** As `fetch`, within the rules above. Rejects with `OutgoingRefused` where they forbid it. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** A connection to a host, within the rules above. Rejects with `OutgoingRefused` where they forbid it. */
  readonly connect: (host: string, port: number) => Promise<Socket>;
  close(): Promise<void>;
}

export interface OutgoingOptions {
  /** Hosts besides the public internet, as in `CONTINUO_OUTGOING_ALLOW`. */
  readonly allow: readonly string[];
  /** Resolves a name to all its addresses; the system's, unless a test gives another. */
  readonly lookup?: Lookup;
}

type Lookup = (
  name: string,
  options: { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export function createOutgoing({ allow, lookup = systemLookup }: OutgoingOptions): Outgoing {
  const allowed = allow.flatMap((entry) => parseAllowed(entry) ?? []);
  const agent = new Agent({ connect: createConnect(allowed, lookup) });
  return {
    require: (url) => requireReachable(allowed, url),
    fetch: (url, init = {}) => follow({ agent, allowed }, new URL(url), init),
    connect: async (host, port) => openConnection(allowed, lookup, { host, port }),
    // Requests that are still open are cut: their callers are gone.
    close: () => agent.destroy(),
  };
}

function isAllowed(allowed: readonly AllowedHost[], hostname: string, port: number): boolean {
  const host = plainHost(hostname);
  return allowed.some((each) => each.matches(host, port));
}

/** Connects to hosts that may be reached, and hands back no connection to any other. */
function createConnect(allowed: readonly AllowedHost[], lookup: Lookup): buildConnector.connector {
  const direct = buildConnector({ timeout: CONNECT_MS });
  const guarded = buildConnector({ timeout: CONNECT_MS, lookup: publicOnly(lookup) });
  return (options, done) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    if (isAllowed(allowed, options.hostname, port)) return direct(options, done);
    const host = plainHost(options.hostname);
    // Node looks up names only, and takes an address as it is.
    const problem = isIP(host) === 0 ? null : addressProblem(host);
    if (problem !== null) return done(refusal(host, problem), null);
    guarded(options, (...[error, socket]) => {
      if (error) return done(error, null);
      const reached = addressProblem(socket.remoteAddress ?? '');
      if (reached === null) return done(null, socket);
      socket.destroy();
      done(refusal(host, reached), null);
    });
  };
}

function publicOnly(lookup: Lookup): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      // One private address among public ones is refused, too: it is a sign of a trick, and never needed.
      const problem = addresses.map(({ address }) => addressProblem(address)).find((each) => each !== null);
      if (problem !== undefined) return done(refusal(name, `a name of ${problem}`), []);
      if (options.all) return done(null, addresses);
      done(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

/** As `createConnect`, for protocols other than HTTP. */
async function openConnection(
  allowed: readonly AllowedHost[],
  lookup: Lookup,
  { host: given, port }: { readonly host: string; readonly port: number },
): Promise<Socket> {
  const host = plainHost(given);
  const isFree = isAllowed(allowed, host, port);
  const problem = isFree ? null : isIP(host) === 0 ? nameProblem(host) : addressProblem(host);
  if (problem !== null) throw refusal(host, problem);
  const socket = connectTo({ host, port, ...(!isFree && { lookup: publicOnly(lookup) }) });
  const timer = setTimeout(() => socket.destroy(new Error('connecting took too long')), CONNECT_MS);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  }).finally(() => clearTimeout(timer));
  const reached = isFree ? null : addressProblem(socket.remoteAddress ?? '');
  if (reached === null) return socket;
  socket.destroy();
  throw refusal(host, reached);
}

interface World {
  readonly agent: Agent;
  readonly allowed: readonly AllowedHost[];
}

async function follow(world: World, first: URL, init: RequestInit): Promise<Response> {
  let url = first;
  let current: RequestInit = { ...init, redirect: 'manual' };
  for (let hops = 0; ; hops += 1) {
    const response = await send(world, url, current);
    const target = init.redirect === 'manual' ? null : redirectTarget(url, response);
    if (target === null) return response;
    await response.body?.cancel();
    if (init.redirect === 'error') throw new OutgoingRefused(`${url.host} redirects to ${target.host}`);
    if (hops === MOST_REDIRECTS)
      throw new OutgoingRefused(`${first.host} redirects more than ${MOST_REDIRECTS} times`);
    if (url.protocol === 'https:' && target.protocol === 'http:')
      throw new OutgoingRefused(`${url.host} redirects from https to http`);
    current = forHop(current, response.status, url.origin === target.origin);
    url = target;
  }
}

async function send({ agent, allowed }: World, url: URL, init: RequestInit): Promise<Response> {
  requireReachable(allowed, url);
  try {
    // Two declarations of the same types: those of Node's own fetch, and the library's.
    const response: unknown = await request(url, { ...(init as unknown as UndiciInit), dispatcher: agent });
    return response as Response;
  } catch (error) {
    // `fetch failed` hides the refusal in its cause.
    if (error instanceof Error && error.cause instanceof OutgoingRefused) throw error.cause;
    throw error;
  }
}

/** What the URL itself tells; the addresses of a name are judged when it is connected to. */
function requireReachable(allowed: readonly AllowedHost[], url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingRefused(`${url.protocol}// is not allowed; use an http or https URL`);
  if (url.username !== '' || url.password !== '')
    throw new OutgoingRefused('the URL has a user or a password in front of its host; leave them out');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (isAllowed(allowed, url.hostname, port)) return;
  const host = plainHost(url.hostname);
  const problem = isIP(host) === 0 ? nameProblem(host) : addressProblem(host);
  if (problem !== null) throw refusal(host, problem);
}

function refusal(host: string, problem: string): OutgoingRefused {
  return new OutgoingRefused(
    `${host} is ${problem}, and the server may only reach the public internet; ` +
      'to allow this host, the operator lists it in CONTINUO_OUTGOING_ALLOW',
  );
}

function redirectTarget(from: URL, { status, headers }: Response): URL | null {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  if (!URL.canParse(location, from.href))
    throw new OutgoingRefused(`${from.host} redirects to an invalid URL`);
  return new URL(location, from);
}

/** No other header goes to another origin: any may hold a secret. */
const HARMLESS = ['accept', 'accept-language', 'user-agent'];

function forHop(init: RequestInit, status: number, isSameOrigin: boolean): RequestInit {
  const method = (init.method ?? 'GET').toUpperCase();
  const keepsMethod = status >= 307 || method === 'GET' || method === 'HEAD';
  if (!isSameOrigin && keepsMethod && init.body != null)
    throw new OutgoingRefused('a redirect to another origin would send it the request’s body');
  const keeps = (name: string) =>
    (isSameOrigin || HARMLESS.includes(name)) && (keepsMethod || !name.startsWith('content-'));
  const headers = [...new Headers(init.headers)].filter(([name]) => keeps(name));
  return keepsMethod ? { ...init, headers } : { ...init, headers, method: 'GET', body: null };
}
