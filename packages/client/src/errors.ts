// The error classes: the server refused, the server could not be reached, or nothing was sent.

/** The body of an error response (RFC 9457); further members depend on the `code`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly [member: string]: unknown;
}

export abstract class ContinuoError extends Error {
  /** Stable: switch on this. */
  abstract readonly code: string;
}

/** The server refused the request. */
export class ApiError extends ContinuoError {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;
  /** Seconds to wait before the next try, if the server says so. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, retryAfter: number | null = null) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** The change was made from a version that is no longer the newest. `current` is the newest version. */
export class VersionConflict extends ApiError {
  readonly current: unknown;

  constructor(problem: Problem, retryAfter: number | null = null) {
    super(problem, retryAfter);
    this.current = problem.current ?? null;
  }
}

/** There was no response, or it was interrupted: whether the request took effect is unknown. */
export class ConnectionError extends ContinuoError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** An id, path or header value is not valid; nothing was sent. */
export class InputError extends ContinuoError {
  override readonly name = 'InputError';
  readonly code: 'invalid_id' | 'invalid_path' | 'invalid_header';

  constructor(code: InputError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether a retry of the same request may succeed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status >= 500 || [408, 425, 429].includes(error.status));
}

/** The error of a response. A proxy's response has no problem body, so its code is made from the status. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const text = await response.text().catch(() => '');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const problem = problemIn(text);
  const Refusal = problem?.code === 'version_conflict' ? VersionConflict : ApiError;
  return new Refusal(
    problem ?? {
      type: 'about:blank',
      title: statusText || `Status ${status}`,
      status,
      code: `http_${status}`,
      detail: `The server answered ${status}${statusText && ` ${statusText}`}, without a problem body.`,
    },
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

function problemIn(text: string): Problem | null {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.code === 'string' && typeof value.detail === 'string' ? (value as Problem) : null;
  } catch {
    return null;
  }
}
