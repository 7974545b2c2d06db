// A proxy that holds back a run's events after a given one, so that a page behind it stands still, as on a slow
// network.

import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Gate {
  readonly url: string;
  /** Lets everything through up to this event of the run. */
  release(runSeq: number): void;
  close(): Promise<void>;
}

const STREAM = /^\/api\/threads\/[^/]+\/events/;

export async function openGate(target: string): Promise<Gate> {
  let open = 0;
  const streams = new Set<() => void>();
  const server = createServer((incoming, outgoing) => {
    const forwarded = request(
      new URL(incoming.url!, target),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        outgoing.flushHeaders();
        const held =
          STREAM.test(incoming.url!) && answer.headers['content-type']?.startsWith('text/event-stream');
        if (!held) return void answer.pipe(outgoing);
        const pass = holding(outgoing, () => open);
        streams.add(pass.go);
        answer.setEncoding('utf8').on('data', pass.take);
        answer.on('close', () => streams.delete(pass.go));
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: (runSeq) => {
      open = runSeq;
      for (const go of streams) go();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function holding(outgoing: ServerResponse, open: () => number) {
  let text = '';
  const go = () => {
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = text.slice(0, end + 2);
      if (placeOf(frame) > open()) return;
      outgoing.write(frame);
      text = text.slice(end + 2);
    }
  };
  const take = (piece: string) => {
    text += piece;
    go();
  };
  return { take, go };
}

/** Events of no run pass with the event before them. */
function placeOf(frame: string): number {
  const data = /^data: ?(.*)$/m.exec(frame)?.[1];
  return data === undefined ? 0 : ((JSON.parse(data) as { run_seq?: number | null }).run_seq ?? 0);
}
