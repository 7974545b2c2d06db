// Server-sent events on the raw response. Frames are made once per commit and shared by all followers; a
// socket that is full is waited for, never buffered; a client's going away stops only its own stream.

import type { ServerResponse } from 'node:http';
import { frame, isTerminal, PING } from '@continuo/protocol';
import type { Batch, FollowedRow, Follower, Followers, FollowersOf, Sink } from '../log/follow.ts';
import type { ChangeRow } from '../workspace/changes.ts';

const PING_MS = 15_000;

export interface RunCursor {
  readonly runId: string;
  readonly threadId: string;
  /** The thread's seq after which to send. */
  readonly seq: number;
}

interface Framed {
  readonly bytes: Buffer;
  readonly ended: boolean;
}

export class Streams {
  readonly #followers: Followers;
  readonly #changes: FollowersOf<ChangeRow>;
  readonly #open = new Set<ServerResponse>();
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

  /** Ends every stream; clients come back, here or elsewhere, with their last id. */
  close(): void {
    clearInterval(this.#pings);
    for (const response of this.#open) response.end();
  }

  follow(response: ServerResponse, { runId, threadId, seq }: RunCursor): void {
    this.#stream(
      response,
      (batch: Batch) => framesOf(batch, runId),
      (sink) => this.#followers.follow(threadId, seq, sink),
    );
  }

  /** A workspace's changes after `seq`; the stream has no end of its own. */
  followChanges(response: ServerResponse, workspaceId: string, seq: number): void {
    this.#stream(response, changeFrames, (sink) => this.#changes.follow(workspaceId, seq, sink));
  }

  #stream<Row extends FollowedRow>(
    response: ServerResponse,
    frames: (batch: Batch<Row>) => Framed | null,
    follow: (sink: Sink<Row>) => Follower,
  ): void {
    // The head goes with the first frames, if there are some already.
    const { socket } = response;
    socket?.cork();
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    response.flushHeaders();
    this.#open.add(response);
    const follower = follow({
      write: (batch) => {
        const framed = frames(batch);
        if (!framed) return true;
        if (!framed.ended) return response.write(framed.bytes);
        stop(framed.bytes);
        return true;
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
    const stop = (last?: Buffer) => {
      follower.stop();
      this.#open.delete(response);
      response.end(last);
    };
    response.once('close', () => stop());
    if (response.destroyed) stop();
    // After the follower's own beginning, which is a microtask, too.
    queueMicrotask(() => socket?.uncork());
  }

  #ping(): void {
    for (const response of this.#open) if (!response.writableNeedDrain) response.write(PING);
  }
}

/** The run's frames in a batch, made once for all its followers. */
function framesOf(batch: Batch, runId: string): Framed | null {
  return batch.memo(runId, (rows) => {
    let text = '';
    let ended = false;
    for (const row of rows) {
      if (row.runId !== runId) continue;
      text += frame(row);
      ended = row.type === 'state' && isTerminal(row.data.status);
    }
    return text === '' ? null : { bytes: Buffer.from(text), ended };
  });
}

function changeFrames(batch: Batch<ChangeRow>): Framed {
  return batch.memo('changes', (rows) => {
    const text = rows.map(({ seq, type, json }) => `event: ${type}\nid: ${seq}\ndata: ${json}\n\n`).join('');
    return { bytes: Buffer.from(text), ended: false };
  });
}
