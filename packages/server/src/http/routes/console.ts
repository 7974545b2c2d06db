// Serves the console's files. They are public, so they need no key: the page asks for it. Any other page request that no route
// handles gets the console's page, which does its own routing.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import mime from 'mime-types';
import type { PublicPages } from '../kernel/guard.ts';

interface Asset {
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Paths that belong to other routes, even when those refuse. */
const OTHERS = /^\/(api|docs|openapi\.json|metrics|healthz|readyz)(\/|$)/;
/** A build file, whose name contains a hash of its content. */
const HASHED = /^\/assets\/[\w.-]+$/;
const FILES = ['/favicon.svg'];
/** The placeholder for the nonce in the built page. */
const NONCE = 'continuo-nonce';

const NOSNIFF = { 'x-content-type-options': 'nosniff' };
const compress = promisify(gzip);

/** Answers with null if the request is not for the console. */
export function createConsole(folder: string): PublicPages {
  const known = new Map<string, Promise<Asset>>();
  const asset = (path: string, headers: Record<string, string>): Promise<Asset> => {
    const found = known.get(path) ?? load(join(folder, path), headers);
    known.set(path, found);
    // Do not cache a failure: the file may be built later.
    found.catch(() => known.delete(path));
    return found;
  };

  return async (c) => {
    const { path, method } = c.req;
    if ((method !== 'GET' && method !== 'HEAD') || OTHERS.test(path)) return null;
    if (HASHED.test(path) || FILES.includes(path)) {
      const age = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
      const found = await asset(path, { 'cache-control': age }).catch(nullIfMissing);
      return found && answer(c, found);
    }
    if (path !== '/' && !c.req.header('accept')?.includes('text/html')) return null;
    const page = await readFile(join(folder, 'index.html'), 'utf8').catch(nullIfMissing);
    const nonce = randomBytes(16).toString('base64url');
    return c.html(page?.replaceAll(NONCE, nonce) ?? UNBUILT, page === null ? 503 : 200, {
      ...NOSNIFF,
      'cache-control': 'no-store',
      'content-security-policy': policy(nonce),
      'referrer-policy': 'no-referrer',
    });
  };
}

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    // Not 'self', because this origin also serves files that agents write. Imported scripts inherit the nonce.
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function load(path: string, headers: Record<string, string>): Promise<Asset> {
  const plain = await readFile(path);
  const type = mime.contentType(path.slice(path.lastIndexOf('/') + 1)) || 'application/octet-stream';
  return {
    plain,
    zipped: await compress(plain, { level: 9 }),
    headers: { ...NOSNIFF, ...headers, 'content-type': type, vary: 'accept-encoding' },
  };
}

function answer(c: Context, { plain, zipped, headers }: Asset): Response {
  const zip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  const body = zip ? zipped : plain;
  return new Response(c.req.method === 'HEAD' ? null : new Uint8Array(body), {
    headers: {
      ...headers,
      ...(zip && { 'content-encoding': 'gzip' }),
      'content-length': String(body.length),
    },
  });
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

const UNBUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Continuo</title></head><body>
<h1>The console is not built</h1>
<p>The server is running, but it was started without its console. <code>npm start</code> in the clone builds the console first.</p>
<p>The API is described at <a href="/docs">/docs</a>.</p></body></html>`;
