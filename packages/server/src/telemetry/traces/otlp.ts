// Sends spans to a collector: OTLP over HTTP, as JSON. Traces are best effort: a collector that is away or slow costs spans, never
// a run. Written by hand, because the official exporter brings 27 MB of packages for one request.

import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Span } from './span.ts';
import { SCOPE } from './names.ts';

/** A request is sent when this many spans wait, or after this time. */
const BATCH = 512;
const BATCH_MS = 1000;
/** Further spans are dropped while this many wait. */
const MOST_WAITING = 8192;
const REQUEST_MS = 10_000;
const RETRY_MS = [1000, 2000, 4000, 8000];
/** How long a stopping pod waits for the collector. */
const LAST_MS = 2000;
const KIND = { internal: 1, client: 3 };
const FAILED = 2;
/** The statuses after which the protocol says to try again. */
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface OtlpOptions {
  /** The collector's address, without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of this pod. */
  readonly resource: Readonly<Record<string, string>>;
  readonly onDropped: (spans: number) => void;
  /** Called at the first failure after a success, not for each. */
  readonly onFailure: (error: Error) => void;
}

export class OtlpExporter {
  readonly #options: OtlpOptions;
  readonly #url: URL;
  readonly #agent: HttpAgent;
  #waiting: Span[] = [];
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #failing = false;
  readonly #closed = new AbortController();

  constructor(options: OtlpOptions) {
    this.#options = options;
    this.#url = new URL(`${options.endpoint.replace(/\/+$/, '')}/v1/traces`);
    this.#agent = new (this.#url.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true });
  }

  add(span: Span): void {
    if (this.#closed.signal.aborted) return;
    if (this.#waiting.length >= MOST_WAITING) return this.#options.onDropped(1);
    this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), BATCH_MS).unref();
  }

  /** Sends what waits, if the collector answers in time. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.#closed.abort(), LAST_MS);
    while (this.#waiting.length > 0 && !this.#closed.signal.aborted) {
      this.#send();
      await this.#sending;
    }
    await this.#sending;
    clearTimeout(late);
    this.#closed.abort();
    this.#agent.destroy();
    if (this.#waiting.length > 0) this.#options.onDropped(this.#waiting.length);
  }

  /** One request at a time. */
  #send(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#sending || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, BATCH);
    this.#sending = this.#deliver(batch).finally(() => {
      this.#sending = null;
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), 0).unref();
    });
  }

  async #deliver(batch: readonly Span[]): Promise<void> {
    const body = Buffer.from(JSON.stringify(toRequest(batch, this.#options.resource)));
    for (const pause of [...RETRY_MS, null]) {
      const failure = await this.#post(body);
      if (!failure) {
        this.#failing = false;
        return;
      }
      if (!this.#failing) this.#options.onFailure(failure.error);
      this.#failing = true;
      if (pause === null || !failure.tryAgain || !(await this.#rest(failure.afterMs ?? pause))) break;
    }
    this.#options.onDropped(batch.length);
  }

  async #post(body: Buffer): Promise<{ error: Error; tryAgain: boolean; afterMs: number | null } | null> {
    try {
      const { statusCode = 0, headers } = await this.#request(body);
      if (statusCode >= 200 && statusCode < 300) return null;
      const after = Number(headers['retry-after'] ?? Number.NaN) * 1000;
      return {
        error: new Error(`${this.#url.href} answered ${statusCode}`),
        tryAgain: TRY_AGAIN.has(statusCode),
        afterMs: Number.isFinite(after) ? Math.min(after, 30_000) : null,
      };
    } catch (error) {
      return { error: error as Error, tryAgain: true, afterMs: null };
    }
  }

  /** Resolves when the response is complete. With `fetch`, the requests would cost more than the spans. */
  #request(body: Buffer): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const send = this.#url.protocol === 'https:' ? requestHttps : requestHttp;
    const options = {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        ...this.#options.headers,
      },
      signal: AbortSignal.any([AbortSignal.timeout(REQUEST_MS), this.#closed.signal]),
    };
    send(this.#url, options, (response) => {
      response.on('error', reject).on('end', () => resolve(response));
      response.resume();
    })
      .on('error', reject)
      .end(body);
    return promise;
  }

  /** False if the exporter was closed meanwhile. */
  async #rest(milliseconds: number): Promise<boolean> {
    const { signal } = this.#closed;
    if (signal.aborted) return false;
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, milliseconds).unref();
    signal.addEventListener('abort', () => over.resolve(), { once: true });
    await over.promise;
    clearTimeout(timer);
    return !signal.aborted;
  }
}

function toRequest(spans: readonly Span[], resource: OtlpOptions['resource']): unknown {
  const scopeSpans = [{ scope: { name: SCOPE }, spans: spans.map(toWire) }];
  return { resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }] };
}

function toWire({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, failure }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== null && { parentSpanId }),
    name,
    kind: KIND[kind],
    startTimeUnixNano: toNanoseconds(Math.min(start, end)),
    endTimeUnixNano: toNanoseconds(end),
    attributes: toAttributes(attributes),
    ...(failure !== null && { status: { code: FAILED, message: failure } }),
  };
}

/** As a string: the number is too large for JSON readers. */
function toNanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function toAttributes(attributes: Span['attributes']) {
  const wire: { key: string; value: Record<string, unknown> }[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) wire.push({ key, value: toValue(value) });
  }
  return wire;
}

function toValue(value: NonNullable<Span['attributes'][string]>): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((entry) => ({ stringValue: entry })) } };
}
