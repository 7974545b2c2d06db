// HTTP: the app behind a socket.

import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import type { Config } from '../config/config.ts';
import type { Pool } from '../db/pool.ts';
import { ReadKeyCheck } from '../content/read-keys.ts';
import { databaseState } from '../db/state.ts';
import { createApp, type HttpContext } from '../http/app.ts';
import { answerBadRequest, answerMalformed } from '../http/kernel/malformed.ts';

const CONSOLE = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

export interface Http {
  readonly url: string;
  /** Accepts no new connection. `drain` closes the idle ones at once and the others within a second. */
  close(): { readonly drain: () => Promise<void> };
}

/** Resolves when the server listens. */
export async function wireHttp(
  context: Omit<HttpContext, 'consoleFolder' | 'databaseState' | 'readKeys'>,
  pool: Pool,
): Promise<Http> {
  const readKeys = new ReadKeyCheck({
    bus: context.bus,
    pool,
    onError: (error) => context.log.warn({ err: error }, 'the use of a read key is not recorded'),
  });
  const app = createApp(
    { ...context, consoleFolder: CONSOLE, databaseState: () => databaseState(pool), readKeys },
    pool,
  );
  const respond = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: answerBadRequest,
  });
  const server = createServer(
    // A request without a Host is answered with a problem of ours, like any other mistake. A client that is gone without a
    // word is noticed after 30 s of silence, and 10 probes a second apart.
    { requireHostHeader: false, keepAlive: true, keepAliveInitialDelay: 30_000 },
    (request, response) => void respond(request, response),
  );
  answerMalformed(server);
  await listen(server, context.config);
  return { url: urlOf(server, context.config), close: () => close(server) };
}

function close(server: HttpServer): ReturnType<Http['close']> {
  const closed = new Promise((resolve) => server.close(resolve));
  return {
    drain: async () => {
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), 1000);
      await closed;
      clearTimeout(timer);
    },
  };
}

function listen(server: HttpServer, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken
          ? new Error(`CONTINUO_PORT ${port} is in use on ${host}; stop what uses it, or set another port`)
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}

function urlOf(server: HttpServer, { host }: Config): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
