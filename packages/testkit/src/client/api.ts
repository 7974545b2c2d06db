// The HTTP API as a client sees it. Knows nothing of the server but its wire.

/** The person's token of every pod that tests start. */
export const PERSON_TOKEN = 'the-person-of-these-tests-0123456789';
/** What a person's client sends. */
export const AS_PERSON = { authorization: `Bearer ${PERSON_TOKEN}` } as const;

/** What a program sends that has no token. */
export const ANONYMOUS = { authorization: '' } as const;

export interface Frame {
  readonly event: string;
  readonly id: number;
  readonly data: Record<string, unknown>;
  /** The frame as it came, byte for byte. */
  readonly raw: string;
}

export interface RunBody {
  readonly id: string;
  readonly status: string;
  readonly [key: string]: unknown;
}

export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(`${status} ${String(body.code)}: ${String(body.detail)}`);
    this.status = status;
    this.body = body;
  }
}

export async function call<T>(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(signal && { signal }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...AS_PERSON, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const value = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  if (!response.ok) throw new ApiError(response.status, value);
  return value as T;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests look into bodies of every shape, and a wrong guess fails the test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A person's request as it is: no status is an error. A `body` that is a string is sent as it is. */
export async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...AS_PERSON, ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : null,
  };
}

export async function createThread(base: string, signal?: AbortSignal): Promise<string> {
  return (await call<{ id: string }>('POST', `${base}/api/threads`, {}, {}, signal)).id;
}

export async function send(
  base: string,
  threadId: string,
  content: unknown,
  headers?: Record<string, string>,
  signal?: AbortSignal,
): Promise<RunBody> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const url = `${base}/api/threads/${threadId}/messages`;
  const answer = await call<{ run: RunBody }>('POST', url, { content: text }, headers, signal);
  return answer.run;
}

export function readRun(base: string, runId: string): Promise<RunBody> {
  return call('GET', `${base}/api/runs/${runId}`);
}

/** The frames of a stream from a cursor on; ends when the server ends it, throws when it breaks. */
export async function* follow(
  base: string,
  runId: string,
  after = 0,
  signal?: AbortSignal,
): AsyncGenerator<Frame> {
  const response = await fetch(`${base}/api/runs/${runId}/events`, {
    headers: { accept: 'text/event-stream', ...(after > 0 && { 'last-event-id': String(after) }) },
    ...(signal && { signal }),
  });
  if (response.status === 204) return;
  if (!response.ok) throw new ApiError(response.status, (await response.json()) as Record<string, unknown>);
  let buffer = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    buffer += decoder.decode(chunk, { stream: true });
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
      const raw = buffer.slice(0, end + 2).replaceAll(': ping\n', '');
      buffer = buffer.slice(end + 2);
      yield parse(raw);
    }
  }
}

/** Follows until a frame of that kind has come; the stream is then left alone. */
export async function seen(url: string, runId: string, event: string): Promise<Frame> {
  for await (const frame of follow(url, runId)) if (frame.event === event) return frame;
  throw new Error(`run ${runId} ended without ${event}`);
}

export async function framesOf(url: string, runId: string, after = 0): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of follow(url, runId, after)) frames.push(frame);
  return frames;
}

/** Follows to the end, over any of the pods, coming back with the last id whenever a stream breaks. */
export async function followToEnd(
  bases: () => readonly string[],
  runId: string,
  signal?: AbortSignal,
): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (let turn = 0; !isEnd(frames.at(-1)); turn += 1) {
    signal?.throwIfAborted();
    const all = bases();
    const base = all[turn % all.length];
    try {
      if (base === undefined) throw new Error('no pod is up');
      for await (const frame of follow(base, runId, frames.at(-1)?.id ?? 0, signal)) frames.push(frame);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) throw error;
      // The pod is gone: wait for the event loop, then ask another.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return frames;
}

export function isEnd(frame: Frame | undefined): boolean {
  return frame?.event === 'state' && frame.data.status !== 'running';
}

function parse(raw: string): Frame {
  const fields = new Map(
    raw
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
  );
  return {
    event: fields.get('event')!,
    id: Number(fields.get('id')),
    data: JSON.parse(fields.get('data')!) as Record<string, unknown>,
    raw,
  };
}
