// The floor of an answer from memory: a Hono route that returns a text that it has, and 304 if the client has it too. Counted.

import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { answer } from './answer.ts';

let body = '';
const ETAG = '"the-text"';
const HEADERS = { etag: ETAG, 'cache-control': 'public, max-age=0, must-revalidate' };

const app = new Hono();
app.get('/text', (c) =>
  c.req.header('if-none-match') === ETAG
    ? c.body(null, 304, HEADERS)
    : c.body(body, 200, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' }),
);

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  answer(
    { url: `http://127.0.0.1:${port}/text` },
    {
      hold: ({ text }: { readonly text: string }) => {
        body = text;
      },
    },
  ),
);
