// Server-sent events on the raw response. Frames are made once per commit and shared by all followers; a
// socket that is full is waited for, never buffered; a client's going away stops only its own stream.

import type { ServerResponse } from 'node:http';
import { PING, sseFrame } from '@continuo/protocol';
import type { Batch, FollowedRow, Follower, Followers, FollowersOf, Sink } from '../../log/follow.ts';
import type { ChangeRow } from '../../files/changes.ts';
import { together, type Hint } from './workspace-hints.ts';
import {
  DialectWriter,
  type Scope,
  type DialectBinding,
  type StreamPosition,
} from '../dialects/dialect-stream.ts';

const PING_MS = 15_000;

export interface Stream<State> {
  readonly binding: DialectBinding<State>;
  readonly scope: Scope;
  readonly from: StreamPosition<State>;
  /** Besides the dialect's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the response begins with, before the first frame. */
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

/** How a stream is broken off: with its last words, or by closing the connection. */
type BrokenOff = { readonly says: string } | 'destroy';
const QUIETLY: BrokenOff = { says: '' };

export class Streams {
  readonly #followers: Followers;
  readonly #changes: FollowersOf<ChangeRow>;
  /** And how each is broken off. */
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

  /** Breaks every stream off; clients come back, here or elsewhere, with their last id. */
  close(): void {
    clearInterval(this.#pings);
    for (const [response, how] of this.#open) {
      if (how === 'destroy') response.destroy();
      else response.end(how.says);
    }
  }

  follow<State>(response: ServerResponse, { binding, scope, from, headers, opening }: Stream<State>): void {
    const writer = new DialectWriter(binding, scope, from);
    this.#stream(response, {
      frames: (batch: Batch, pressed) => writer.say(batch, pressed),
      follow: (sink) => this.#followers.follow(scope.threadId, from.seq, sink),
      headers: { ...binding.headers, ...headers },
      opening,
      brokenOffBy: binding.endsWhole ? 'destroy' : { says: binding.leaving ?? '' },
    });
  }

  /** A workspace's changes after `seq`; the stream has no end of its own. */
  followChanges(response: ServerResponse, workspaceId: string, seq: number): void {
    this.#stream(response, {
      frames: changeFrames,
      follow: (sink) => this.#changes.follow(workspaceId, seq, sink),
      headers: beginsAfter(seq),
    });
  }

  /** Hints have no place to go on from: what a full socket has no room for is gathered, and told as one. */
  followHints(response: ServerResponse, listen: (listener: (hint: Hint) => void) => () => void): void {
    let waiting: Hint | null = null;
    const send = (hint: Hint) => {
      if (response.writableNeedDrain) {
        waiting = waiting ? together(waiting, hint) : hint;
        return;
      }
      response.write(`event: hint\ndata: ${JSON.stringify(hint)}\n\n`);
    };
    this.#begin(response, {}, QUIETLY);
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
      'content-type': 'text/event-stream; charset=utf-8',
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
    { frames, follow, headers, opening, brokenOffBy = QUIETLY }: Streamed<Row>,
  ): void {
    // The head goes with the first frames, if there are some already.
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
    // After the follower's own beginning, which is a microtask, too.
    queueMicrotask(() => socket?.uncork());
  }

  #ping(): void {
    for (const response of this.#open.keys()) if (!response.writableNeedDrain) response.write(PING);
  }
}

/** Whoever asked for what comes from now on is told where that is, and can come back before anything has come. */
export function beginsAfter(cursor: number | string): Readonly<Record<string, string>> {
  return { 'last-event-id': String(cursor) };
}

function changeFrames(batch: Batch<ChangeRow>): Framed {
  return batch.memo('changes', (rows) => {
    const text = rows.map(({ seq, type, json }) => sseFrame(type, seq, json)).join('');
    return { bytes: Buffer.from(text), ended: false };
  });
}
