// The address of a request, as its client knows it.

import type { Context } from 'hono';

/** Behind a proxy that ends TLS, such as the one of deploy/nginx.conf, clients reach this server over https alone. The proxy says so in a header. */
export function addressOf(c: Context): string {
  const { url } = c.req;
  return /^https\b/.test(c.req.header('x-forwarded-proto') ?? '') ? url.replace(/^http:/, 'https:') : url;
}
