// What the tests of the workspace's HTTP surface share: a workspace of one's own, and requests with bytes.

import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { AS_PERSON, ask } from '@continuo/testkit';

export interface Space {
  readonly id: string;
  readonly name: string;
  /** Its address. */
  readonly url: string;
}

export async function newSpace(url: string, name = `w-${randomBytes(6).toString('hex')}`): Promise<Space> {
  const made = await ask('POST', `${url}/api/v1/workspaces`, { name });
  if (made.status !== 201) throw new Error(made.text);
  return { id: made.body.id as string, name, url: `${url}/api/v1/workspaces/${name}` };
}

export interface Bytes {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A person's request with bytes as its body, or none. */
export async function bytes(
  method: string,
  url: string,
  content?: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Bytes> {
  const response = await fetch(url, {
    method,
    headers: { ...AS_PERSON, ...headers },
    ...(content !== undefined && { body: content as string }),
  });
  const received = Buffer.from(await response.arrayBuffer());
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && received.length > 0;
  const body = isJson ? (JSON.parse(received.toString()) as unknown) : null;
  return { status: response.status, headers: response.headers, bytes: received, body };
}

export const put = (
  space: Space,
  path: string,
  content: string | Uint8Array,
  headers?: Record<string, string>,
) => bytes('PUT', `${space.url}/files/${path}`, content, headers);
export const get = (space: Space, path: string, headers?: Record<string, string>) =>
  bytes('GET', `${space.url}/files/${path}`, undefined, headers);

/** A request whose target is sent exactly as it is written. */
export async function raw(
  base: string,
  method: string,
  target: string,
  content = '',
): Promise<{ status: number; headers: string; body: string }> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const head = `${method} ${target} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\ncontent-length: ${content.length}\r\n\r\n`;
  socket.write(head + content, 'latin1');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
  const end = text.indexOf('\r\n\r\n');
  return {
    status: Number(text.slice(9, 12)),
    headers: text.slice(0, end).toLowerCase(),
    body: text.slice(end + 4),
  };
}

/** An answer with its body left unread. */
export function unread(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, resolve).on('error', reject).end();
  });
}
