// One bounded GET through the outgoing guard.

import type { Outgoing } from '../outgoing/outgoing.ts';
import { OutgoingRefused } from '../outgoing/outgoing.ts';
import { ToolFailure } from '../tools/tool.ts';

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly ms: number;
  readonly signal: AbortSignal;
}

export interface Got {
  readonly status: number;
  /** In lower case, without parameters. */
  readonly type: string;
  readonly body: Buffer;
  readonly charset: string;
  /** There was more than `bytes`. */
  readonly isCut: boolean;
}

/** Throws a failure that says why nothing came. */
export async function get({ fetch }: Outgoing, url: URL, options: GetOptions): Promise<Got> {
  const late = AbortSignal.timeout(options.ms);
  const signal = AbortSignal.any([options.signal, late]);
  try {
    const response = await fetch(url, { headers: { 'user-agent': 'continuo', ...options.headers }, signal });
    const { body, isCut } = await readUpTo(response, options.bytes);
    const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').toLowerCase().split(';');
    const charset = parameters.map((each) => /^\s*charset="?([\w-]+)/.exec(each)?.[1]).find(Boolean);
    return { status: response.status, type: type.trim(), body, charset: charset ?? 'utf-8', isCut };
  } catch (error) {
    if (late.aborted) throw new ToolFailure(`${url.host} did not answer within ${options.ms / 1000} s`);
    if (options.signal.aborted) throw error;
    if (error instanceof OutgoingRefused) throw new ToolFailure(`not made: ${error.message}`);
    const { cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : (error as Error).message;
    throw new ToolFailure(`${url.host} could not be read: ${reason}`);
  }
}

async function readUpTo(response: Response, most: number): Promise<{ body: Buffer; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    size += piece.length;
    // Leaving the loop ends the connection.
    if (size > most) break;
  }
  return { body: Buffer.concat(pieces).subarray(0, most), isCut: size > most };
}

export function textOf({ body, charset }: Got): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    // The page names a charset that does not exist.
    return body.toString('utf8');
  }
}
