// Serves the files of this folder, as any static server does. The site itself reads its content from a continuo server.
//
//   node examples/site/serve.ts [port]

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'site.css': 'text/css; charset=utf-8',
  'site.js': 'text/javascript; charset=utf-8',
};

const server = createServer((request, response) => {
  const name = new URL(request.url ?? '/', 'http://site').pathname.slice(1) || 'index.html';
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return void response.writeHead(404).end('There is no such file.');
  readFile(join(import.meta.dirname, name)).then(
    (bytes) => response.writeHead(200, { 'content-type': type }).end(bytes),
    (error: Error) => response.writeHead(500).end(error.message),
  );
});
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
