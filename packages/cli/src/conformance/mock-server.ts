// The server's side of the executor protocol, without a server behind it: hands out assignments, stores what an executor posts,
// misbehaves on purpose, and lists what the executor did wrong.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { schemas, type AssignmentRequest } from '@continuo/protocol';
import { Assigned, type Fault } from './assigned.ts';

/** The longest wait of a claim, whatever it asked for, so that the suite sees many claims. */
const CLAIM_SECONDS = 1;
const BODY_BYTES = 1024 * 1024;

interface Waiter {
  readonly resolve: (assigned: Assigned | null) => void;
}

interface Offer {
  readonly request: AssignmentRequest;
  readonly leaseSeconds: number;
  readonly runId?: string;
  readonly message?: string;
}

export class MockServer {
  readonly executor: string;
  readonly key = `key-${randomUUID()}`;
  /** What the executor did wrong, in sentences; each once. */
  readonly faults = new Set<string>();
  /** When each claim came. */
  readonly claims: number[] = [];
  readonly #server: Server = createServer((request, response) => void this.#serve(request, response));
  readonly #waiters = new Set<Waiter>();
  readonly #offered: Assigned[] = [];
  #assigned = new Map<string, Assigned>();
  #port = 0;

  constructor(executor: string) {
    this.executor = executor;
    // A claim may wait for long.
    this.#server.requestTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(port = this.#port): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    await promise;
    this.#server.off('error', reject);
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks off every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#waiters.clear();
    await closed;
  }

  /** Gives the assignment to the next claim. */
  offer({ request, leaseSeconds, runId = randomUUID(), message = 'm1' }: Offer): Assigned {
    const assigned = new Assigned({ request, leaseSeconds, runId, message, executor: this.executor });
    this.#assigned.set(`${runId}/${message}`, assigned);
    const [first] = this.#waiters;
    if (first) {
      this.#waiters.delete(first);
      first.resolve(assigned);
    } else this.#offered.push(assigned);
    return assigned;
  }

  /** Ends the open assignments: an executor that still writes is told that the run was canceled. */
  clear(): void {
    this.#offered.length = 0;
    for (const assigned of this.#assigned.values()) assigned.cancel();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await this.#read(request, response);
      if (body === undefined) return;
      const path = (request.url ?? '').split('?')[0]!;
      const [, name] = /^\/api\/v1\/executors\/([^/]+)\/claim$/.exec(path) ?? [];
      if (name !== undefined) return await this.#claim(decodeURIComponent(name), body, response);
      const [, runId, message, what] =
        /^\/api\/v1\/runs\/([^/]+)\/assignments\/([^/]+)\/(events|heartbeat)$/.exec(path) ?? [];
      if (what === undefined) {
        this.faults.add(`${request.method} ${path} is not a request of the protocol.`);
        return problem(response, 404, 'not_found');
      }
      const assigned = this.#assigned.get(`${runId}/${message}`);
      if (!assigned) {
        this.faults.add(`${path} names an assignment that was never handed out.`);
        return problem(response, 404, 'assignment_not_found');
      }
      await (what === 'events'
        ? this.#events(assigned, body, response)
        : this.#heartbeat(assigned, body, response));
    } catch {
      // The executor broke the connection off.
      response.destroy();
    }
  }

  /** The body as JSON; undefined if the request was refused. */
  async #read(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES) chunks.push(chunk);
    }
    const refuse = (fault: string, status: number, code: string): undefined => {
      this.faults.add(fault);
      problem(response, status, code);
    };
    if (request.method !== 'POST') return refuse('Every request is a POST.', 405, 'method_not_allowed');
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return refuse('A request had no key, or another: Authorization: Bearer <key>.', 401, 'unauthorized');
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      return refuse('A request had no content-type: application/json.', 415, 'unsupported_media_type');
    if (bytes > BODY_BYTES) return refuse(`A body had ${bytes} bytes.`, 413, 'too_large');
    try {
      return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
    } catch {
      return refuse('A body was not JSON.', 400, 'invalid_json');
    }
  }

  async #claim(name: string, body: unknown, response: ServerResponse): Promise<void> {
    this.claims.push(Date.now());
    const parsed = schemas.claimRequest.safeParse(body);
    if (!parsed.success) return this.#invalid('claim', parsed.error, response);
    if (name !== this.executor) {
      this.faults.add(`It claims for ${JSON.stringify(name)}, not for ${this.executor}.`);
      return problem(response, 404, 'not_found');
    }
    const assigned = await this.#next(Math.min(CLAIM_SECONDS, parsed.data.wait), response);
    if (!assigned) {
      response.writeHead(204).end();
      return;
    }
    json(response, 200, assigned.claimed());
  }

  async #next(seconds: number, response: ServerResponse): Promise<Assigned | null> {
    const waiting = this.#offered.shift();
    if (waiting) return waiting;
    const { promise, resolve } = Promise.withResolvers<Assigned | null>();
    const waiter = { resolve };
    this.#waiters.add(waiter);
    response.once('close', () => this.#waiters.delete(waiter));
    const timer = setTimeout(() => this.#waiters.delete(waiter) && resolve(null), seconds * 1000);
    return promise.finally(() => clearTimeout(timer));
  }

  async #events(assigned: Assigned, body: unknown, response: ServerResponse): Promise<void> {
    const parsed = schemas.postedEvents.safeParse(body);
    if (!parsed.success) return this.#invalid('post', parsed.error, response);
    const { fault, wrong } = assigned.post(parsed.data);
    if (wrong) this.faults.add(wrong);
    await misbehave(response, fault);
    if (!response.writableEnded && !response.destroyed)
      json(response, 200, { lease_seconds: assigned.leaseSeconds, added_later: true });
  }

  async #heartbeat(assigned: Assigned, body: unknown, response: ServerResponse): Promise<void> {
    const parsed = schemas.heartbeatRequest.safeParse(body);
    if (!parsed.success) return this.#invalid('heartbeat', parsed.error, response);
    const { claim, wait, release = false } = parsed.data;
    if (wait >= assigned.leaseSeconds)
      this.faults.add(
        `A heartbeat waits for ${wait} s, and the lease is over after ${assigned.leaseSeconds} s.`,
      );
    await misbehave(response, assigned.beat(claim, release));
    if (response.writableEnded || response.destroyed) return;
    const over = await Promise.race([assigned.over, sleep(wait * 1000)]);
    if (over) return problem(response, over.status, over.code);
    json(response, 200, { lease_seconds: assigned.leaseSeconds, added_later: true });
  }

  #invalid(
    what: string,
    error: { issues: readonly { path: PropertyKey[]; message: string }[] },
    response: ServerResponse,
  ): void {
    const [{ path, message }] = error.issues as [{ path: PropertyKey[]; message: string }];
    this.faults.add(`A ${what} is not valid: ${path.map(String).join('.') || 'body'}: ${message}.`);
    problem(response, 400, 'invalid_body');
  }
}

async function misbehave(response: ServerResponse, fault: Fault | null): Promise<void> {
  switch (fault?.kind) {
    case 'cut':
      response.destroy();
      return;
    case 'busy':
      response.setHeader('retry-after', '1');
      return problem(response, 503, 'busy');
    case 'hold':
      await sleep(fault.seconds * 1000);
      return;
    case 'refuse':
      return problem(response, fault.status, fault.code);
    case undefined:
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, status: number, code: string): void {
  const body = { type: 'about:blank', title: code, status, code, detail: `The check answers with ${code}.` };
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}
