// What can go wrong, as classes: the server said no, nobody could be reached, or nothing was sent.

/** The body of a refusal (RFC 9457); further members depend on the `code`. */
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

/** The server answered, and refused. */
export class ApiError extends ContinuoError {
  override readonly name = 'ApiError';
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;
  /** Seconds after which the server asks to be tried again. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, retryAfter: number | null = null) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** Nobody answered, or the answer broke off: it is not known whether the request took effect. */
export class ConnectionError extends ContinuoError {
  override readonly name = 'ConnectionError';
  readonly code = 'connection_failed';
}

/** What was named cannot be asked for, or what was given cannot be sent; nothing was. */
export class InputError extends ContinuoError {
  override readonly name = 'InputError';
  readonly code: 'invalid_id' | 'invalid_path' | 'invalid_header';

  constructor(code: InputError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether the same request may well succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status >= 500 || [408, 425, 429].includes(error.status));
}

/** An answer that is a refusal, as an error; a proxy on the way may have made it, and knows no codes. */
export async function refusal(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const text = await response.text().catch(() => '');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    problemIn(text) ?? {
      type: 'about:blank',
      title: statusText || `Status ${status}`,
      status,
      code: `http_${status}`,
      detail: `The server answered ${status}${statusText && ` ${statusText}`}, and not in its own words.`,
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
