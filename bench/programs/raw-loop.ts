// The floor of a fan-out: a loop over open responses that writes the same bytes to each. Counted.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenText } from '../load/text.ts';
import { answer } from './answer.ts';

const responses = new Set<ServerResponse>();

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  responses.add(response);
  response.once('close', () => responses.delete(response));
});

server.listen(0, '127.0.0.1', () => {
  answer(
    { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
    {
      play: ({ tokens, paceMs }: { tokens: number; paceMs: number }) => {
        let sent = 0;
        const timer = setInterval(() => {
          const data = JSON.stringify({ text: tokenText(sent), message: 'm1' });
          sent += 1;
          const frame = Buffer.from(`event: token\nid: ${sent}\ndata: ${data}\n\n`);
          for (const response of responses) response.write(frame);
          if (sent < tokens) return;
          clearInterval(timer);
          for (const response of responses) response.end();
        }, paceMs);
      },
    },
  );
});
