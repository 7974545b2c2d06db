// Describes a failed model call: a code that callers can act on, a message without secrets, whether a retry can help, and how
// long the provider asks to wait.

import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { AiSdkNotAStream } from './not-a-stream.ts';

type AiSdkFailureCode =
  | 'rate_limited'
  | 'provider_error'
  | 'provider_unavailable'
  | 'invalid_request'
  | 'unauthorized'
  | 'context_too_long'
  | 'file_refused'
  | 'model_stalled'
  | 'stream_cut';

export interface AiSdkFailure {
  readonly code: AiSdkFailureCode;
  readonly message: string;
  readonly retryable: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfter?: number;
}

export interface AiSdkFailureContext {
  /** The provider's name, with which the message begins. */
  readonly provider: string;
  /** The environment variable with the key. */
  readonly keyName: string;
  /** Values that must never be shown. */
  readonly secrets: readonly string[];
  /** Whether the request contained files. */
  readonly files: boolean;
  readonly now: number;
}

/** Maps any error that the AI SDK throws or streams to a failure. */
export function aiSdkFailureOf(error: unknown, context: AiSdkFailureContext): AiSdkFailure {
  const { status, retryable, text, headers } = read(error);
  const said = redact(text, context.secrets);
  const answered = (sentence: string) =>
    `${context.provider} ${sentence}${said === '' ? '' : `: ${said}`}`.slice(0, 600);

  const code = context.files && isOfFiles(text) ? 'file_refused' : 'invalid_request';
  if (UnsupportedFunctionalityError.isInstance(error))
    return { code, message: answered('does not support this request'), retryable: false };
  if (error instanceof AiSdkNotAStream)
    return {
      code: 'provider_error',
      message: answered('did not answer with a stream; check its address'),
      retryable: false,
    };
  if (isChatCompletions(error))
    return {
      code: 'provider_error',
      message:
        `The server at the address of ${context.provider} speaks Chat Completions, not the Responses API; ` +
        `use the model compatible/${modelIn(error)}`,
      retryable: false,
    };
  if (status === undefined) {
    if (APICallError.isInstance(error))
      return { code: 'provider_unavailable', message: answered('cannot be reached'), retryable };
    if (isCut(error))
      return { code: 'stream_cut', message: answered('ended the answer early'), retryable: true };
    return { code: 'provider_error', message: answered('failed'), retryable: true };
  }
  if (status < 400)
    return { code: 'stream_cut', message: answered('ended the answer early'), retryable: true };
  if (status === 401 || status === 403)
    return {
      code: 'unauthorized',
      message: answered(`refused the request (${status}); check ${context.keyName}`),
      retryable: false,
    };
  const wait = waitIn(headers, context.now);
  const pause = wait === undefined ? {} : { retryAfter: wait };
  if (status === 429)
    return { code: 'rate_limited', message: answered('limits the request rate (429)'), retryable, ...pause };
  if (status >= 500 || status === 408 || status === 409)
    return {
      code: isUnavailable(status) ? 'provider_unavailable' : 'provider_error',
      message: answered(`answered ${status}`),
      retryable,
      ...pause,
    };
  if (status === 413 || isTooLong(text))
    return {
      code: 'context_too_long',
      message: answered(`answered ${status}: the context is too long`),
      retryable: false,
    };
  return { code, message: answered(`answered ${status}`), retryable: false };
}

/** The server sent a chat completions stream to a Responses API request. The AI SDK has no error class for this. */
function isChatCompletions(error: unknown): error is APICallError {
  return APICallError.isInstance(error) && error.message.startsWith('Received a Chat Completions stream');
}

function modelIn({ requestBodyValues }: APICallError): string {
  const { model } = (requestBodyValues ?? {}) as { readonly model?: unknown };
  return typeof model === 'string' ? model : '<model>';
}

interface Reading {
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

function read(error: unknown): Reading {
  if (APICallError.isInstance(error))
    return {
      status: error.statusCode,
      retryable: error.isRetryable && !isQuota(error.responseBody ?? ''),
      // The body, if there is one, says more than the HTTP layer's message.
      text: error.message === '' ? (error.responseBody ?? '') : withCode(error.message, error.responseBody),
      headers: error.responseHeaders,
    };
  // Errors in the middle of a stream are plain objects, exactly as the provider sent them.
  const { message, statusCode, code, type } = fieldsOf(error);
  const text = typeof message === 'string' ? message : '';
  const kind = [code, type].filter((each) => typeof each === 'string').join(' ');
  const status = [statusCode, code].find(isErrorStatus) ?? statusOf(kind);
  return { status, retryable: isTemporary(status) && !isQuota(kind), text, headers: undefined };
}

function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  return typeof error === 'object' && error !== null ? { ...error, ...messageOf(error) } : {};
}

function messageOf(error: object): { message?: string } {
  return error instanceof Error ? { message: error.message } : {};
}

/** Keeps the code that distinguishes a context that is too long from other errors. */
function withCode(message: string, body: string | undefined): string {
  return body?.includes('context_length_exceeded') ? `${message} (context_length_exceeded)` : message;
}

function statusOf(kind: string): number | undefined {
  if (/rate_limit|insufficient_quota|RESOURCE_EXHAUSTED/.test(kind)) return 429;
  if (/overloaded|UNAVAILABLE/.test(kind)) return 529;
  if (/authentication|permission/i.test(kind)) return 401;
  if (/invalid|not_found/i.test(kind)) return 400;
  if (/server_error|api_error|INTERNAL|timeout/i.test(kind)) return 500;
  return undefined;
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= 400 && value < 600;
}

function isTemporary(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500;
}

function isUnavailable(status: number): boolean {
  return status !== 500 && status !== 501;
}

function isQuota(text: string): boolean {
  return text.includes('insufficient_quota');
}

function isTooLong(text: string): boolean {
  return /context_length_exceeded|context (length|size|window)|prompt is too long|input token count .*exceeds|too many tokens/i.test(
    text,
  );
}

/** Whether the error is about an image or a PDF, whatever the provider's wording. */
function isOfFiles(text: string): boolean {
  return /\b(images?|image_url|input_image|pdfs?|documents?|input_file|inline_?data|(media|mime)[ _-]?types?|vision|multimodal)\b/i.test(
    text,
  );
}

/** Whether the connection broke during the stream. */
function isCut(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (/terminated|other side closed|socket hang up|aborted|ended without a finish/i.test(current.message))
      return true;
  return false;
}

function waitIn(headers: Reading['headers'], now: number): number | undefined {
  const exact = Number(headers?.['retry-after-ms']);
  if (exact > 0) return exact;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const KEYS =
  /\b(sk|rk|pk|gsk|xai|hf|org)[-_][\w*.-]{6,}|AIza[\w-]{8,}|Bearer\s+\S+|([?&](api_?)?key=)[^&\s"]+/gi;

function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length > 3) clean = clean.replaceAll(secret, '***');
  return clean.replace(KEYS, '***');
}
