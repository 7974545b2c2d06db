// A proxy between a client and whichever pod is up: it cuts connections where a test wants them cut, and answers in its own
// words while a test wants that.

import { EventEmitter } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { until } from '../until.ts';

/** Looks at what the server sends next, and answers how many of its bytes pass before the cut; null for all. */
export type Cut = (bytes: Buffer) => number | null;

export interface Proxy {
  readonly url: string;
  /** From now on, for new connections; those that are open are cut, because fetch would use them again. */
  set(ways: Partial<Ways>): void;
  /** Connections so far. */
  readonly connections: number;
  /** Resolves when no client is connected. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface Ways {
  /** The pod's address; null: nobody is there. */
  readonly target: string | null;
  /** Made anew for each connection. */
  readonly cut: (() => Cut) | null;
  /** What is answered instead, whole. */
  readonly answer: (() => string | null) | null;
}

export async function startProxy(target: string | null): Promise<Proxy> {
  let ways: Ways = { target, cut: null, answer: null };
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const left = new EventEmitter();
  let connections = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    connections += 1;
    keep(client);
    clients.add(client);
    client.on('close', () => {
      clients.delete(client);
      left.emit('left');
    });
    const own = ways.answer?.();
    if (own) return void client.once('data', () => client.end(own));
    if (ways.target === null) return void client.destroy();
    const { hostname, port } = new URL(ways.target);
    const upstream = connect(Number(port), hostname);
    keep(upstream);
    const cut = ways.cut?.() ?? null;
    upstream.on('data', (bytes: Buffer) => {
      const passing = cut?.(bytes) ?? null;
      if (passing === null) return void client.write(bytes);
      client.write(bytes.subarray(0, passing), () => client.destroy());
      upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.on('data', (bytes: Buffer) => upstream.write(bytes)).on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next) => {
      ways = { ...ways, ...next };
      drop();
    },
    get connections() {
      return connections;
    },
    idle: async () => {
      const wake = (check: () => void) => {
        left.on('left', check);
        return () => void left.off('left', check);
      };
      await until('no client is connected to the proxy', () => clients.size === 0, { wake });
    },
    close: async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lets so many events of a stream pass; what is no stream passes whole. */
export function afterEvents(most: number): () => Cut {
  return () => {
    let streaming = false;
    let seen = 0;
    return (bytes) => {
      streaming ||= bytes.includes('content-type: text/event-stream');
      if (!streaming) return null;
      for (let at = bytes.indexOf('\n\n'); at >= 0; at = bytes.indexOf('\n\n', at + 2)) {
        seen += 1;
        if (seen === most) return at + 2;
      }
      return null;
    };
  };
}

/** Lets so many bytes of an answer's body pass. */
export function afterBytes(most: number): () => Cut {
  return () => {
    let left = -1;
    return (bytes) => {
      const head = left < 0 ? bytes.indexOf('\r\n\r\n') + 4 : 0;
      if (left < 0) left = most;
      if (bytes.length - head < left) {
        left -= bytes.length - head;
        return null;
      }
      return head + left;
    };
  };
}
