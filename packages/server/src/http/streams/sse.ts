// Server-sent events on the raw response. Frames are made once per commit and shared by all followers. When a socket is full the
// stream waits instead of buffering. A client that disconnects stops only its own stream.

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { PING, sseFrame } from '@continuo/protocol';
import type { Batch, FollowedRow, Follower, Followers, FollowersOf, Sink } from '../../log/follow.ts';
import type { ChangeRow } from '../../files/changes.ts';
import { mergeHints, type Hint } from './workspace-hints.ts';
import {
  DialectWriter,
  type DialectBinding,
  type StreamPosition,
  type StreamSource,
} from './dialect-stream.ts';

const PING_MS = 15_000;
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface Stream<State> {
  readonly binding: DialectBinding<State>;
  readonly source: StreamSource;
  readonly from: StreamPosition<State>;
  /** In addition to the dialect's headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent before the first frame. */
  readonly opening?: string;
}

interface Framed {
  /** Null if there is nothing to send. */
  readonly bytes: Buffer | null;
  readonly ended: boolean;
}

interface Streamed<Row extends FollowedRow> {
  readonly frames: (batch: Batch<Row>, pressed: boolean) => Framed;
  readonly follow: (sink: Sink<Row>) => Follower;
  readonly headers?: Readonly<Record<string, string>>;
  readonly opening?: string | undefined;
  readonly brokenOffBy?: BrokenOff;
}

/** How to end a stream early: with last bytes, or by closing the connection. */
type BrokenOff = { readonly says: string } | 'destroy';
/** How soon a client should reconnect. Another pod takes a run over within 2 s. */
export const RETRY_MS = 1000;
/** A browser would wait for 3 to 5 s. */
const RECONNECT_SOON: BrokenOff = { says: `retry: ${RETRY_MS}\n\n` };

export class Streams {
  readonly #followers: Followers;
  readonly #changes: FollowersOf<ChangeRow>;
  /** The open streams, and how to end each of them early. */
  readonly #open = new Map<ServerResponse, BrokenOff>();
  readonly #pings: NodeJS.Timeout;

  constructor(followers: Followers, changes: FollowersOf<ChangeRow>) {
    this.#followers = followers;
    this.#changes = changes;
    this.#pings = setInterval(() => this.#ping(), PING_MS);
    this.#pings.unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /** Ends every stream early. Clients reconnect, to this pod or another one, with their last id. */
  close(): void {
    clearInterval(this.#pings);
    for (const [response, how] of this.#open) {
      if (how === 'destroy') response.destroy();
      else response.end(how.says);
    }
  }

  follow<State>(response: ServerResponse, { binding, source, from, headers, opening }: Stream<State>): void {
    const writer = new DialectWriter(binding, source, from);
    this.#stream(response, {
      frames: (batch: Batch, pressed) => writer.say(batch, pressed),
      follow: (sink) => this.#followers.follow(source.threadId, from.seq, sink),
      headers: { ...binding.headers, ...headers },
      opening,
      brokenOffBy: binding.endsWhole ? 'destroy' : leavingWith(binding),
    });
  }

  /** Streams a workspace's changes after `seq`. The stream never ends by itself. */
  followChanges(response: ServerResponse, workspaceId: string, seq: number): void {
    this.#stream(response, {
      frames: changeFrames,
      follow: (sink) => this.#changes.follow(workspaceId, seq, sink),
      headers: beginsAfter(seq),
    });
  }

  /** Hints have no cursor. While the socket is full, hints are merged and then sent as one. */
  followHints(response: ServerResponse, listen: (listener: (hint: Hint) => void) => () => void): void {
    let waiting: Hint | null = null;
    const send = (hint: Hint) => {
      if (response.writableNeedDrain) {
        waiting = waiting ? mergeHints(waiting, hint) : hint;
        return;
      }
      response.write(`event: hint\ndata: ${JSON.stringify(hint)}\n\n`);
    };
    this.#begin(response, {}, RECONNECT_SOON);
    const stop = listen(send);
    response.on('drain', () => {
      const kept = waiting;
      waiting = null;
      if (kept) send(kept);
    });
    const end = () => {
      stop();
      this.#open.delete(response);
    };
    response.once('close', end);
    if (response.destroyed) end();
  }

  #begin(
    response: ServerResponse,
    headers: Readonly<Record<string, string>> | undefined,
    brokenOffBy: BrokenOff,
  ): void {
    response.writeHead(200, {
      'content-type': EVENT_STREAM,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      ...headers,
    });
    response.flushHeaders();
    this.#open.set(response, brokenOffBy);
  }

  #stream<Row extends FollowedRow>(
    response: ServerResponse,
    { frames, follow, headers, opening, brokenOffBy = RECONNECT_SOON }: Streamed<Row>,
  ): void {
    // Corked, so that the headers and the first frames leave in one packet.
    const { socket } = response;
    socket?.cork();
    this.#begin(response, headers, brokenOffBy);
    if (opening) response.write(opening);
    const follower = follow({
      write: (batch, pressed) => {
        const { bytes, ended } = frames(batch, pressed);
        if (ended) stop(bytes);
        return ended || !bytes || response.write(bytes);
      },
      drained: () =>
        new Promise((resolve) => {
          const done = () => {
            response.off('drain', done).off('close', done);
            resolve();
          };
          response.on('drain', done).on('close', done);
        }),
    });
    const stop = (last: Buffer | null) => {
      follower.stop();
      this.#open.delete(response);
      if (last) response.end(last);
      else response.end();
    };
    response.once('close', () => stop(null));
    if (response.destroyed) stop(null);
    // Runs after the follower's first microtask, which writes the first frames.
    queueMicrotask(() => socket?.uncork());
  }

  #ping(): void {
    for (const response of this.#open.keys()) if (!response.writableNeedDrain) response.write(PING);
  }
}

function leavingWith({ leaving }: { readonly leaving?: string }): BrokenOff {
  return leaving === undefined ? RECONNECT_SOON : { says: leaving };
}

/** Answers a request with the stream that `begin` starts. HEAD gets only headers. */
export function answerWithStream(
  c: Context<{ Bindings: HttpBindings }>,
  begin: (response: ServerResponse) => void,
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': EVENT_STREAM, ...headers });
  begin(c.env.outgoing);
  return RESPONSE_ALREADY_SENT;
}

/** Tells a client that follows from now on its cursor, so that it can reconnect even before the first event. */
export function beginsAfter(cursor: number | string): Readonly<Record<string, string>> {
  return { 'last-event-id': String(cursor) };
}

function changeFrames(batch: Batch<ChangeRow>): Framed {
  return batch.memo('changes', (rows) => {
    const text = rows.map(({ seq, type, json }) => sseFrame(type, seq, json)).join('');
    return { bytes: Buffer.from(text), ended: false };
  });
}
