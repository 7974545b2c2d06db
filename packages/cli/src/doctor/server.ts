// Checks the port, and the server at this or another address.

import { createServer } from 'node:net';
import type { Config } from '@continuo/server/upkeep';
import { serverUrl } from '../connect.ts';
import type { Check } from './check.ts';

/** A running server responds much faster. */
const PATIENCE_MS = 5000;

export async function checkPort({ host, port }: Config): Promise<Check[]> {
  const name = 'port';
  if (port === 0) return [{ name, status: 'ok', says: 'any free port' }];
  const problem = await listening(host, port);
  if (problem === null) return [{ name, status: 'ok', says: `${port} on ${host} is free` }];
  const url = serverUrl({ CONTINUO_HOST: host, CONTINUO_PORT: String(port) });
  if (problem === 'EADDRINUSE' && (await isOurs(url))) {
    return [{ name, status: 'ok', says: `a Continuo server listens on ${port}` }];
  }
  const says =
    problem === 'EADDRINUSE'
      ? `${port} on ${host} is used by another program`
      : `${port} on ${host}: ${problem}`;
  const mend =
    problem === 'EACCES'
      ? 'Ports below 1024 need privileges; set CONTINUO_PORT to a higher one.'
      : 'Stop the program that uses it, or set another port (--port or CONTINUO_PORT) or address (CONTINUO_HOST).';
  return [{ name, status: 'bad', says, mend }];
}

function listening(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

async function isOurs(url: string): Promise<boolean> {
  try {
    const response = await get(`${url}/healthz`);
    return ((await response.json()) as { status?: unknown }).status === 'ok';
  } catch {
    // Something else listens there.
    return false;
  }
}

export async function checkServer({
  url,
  apiKey,
  expected,
}: {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Whether the person named a server. */
  readonly expected: boolean;
}): Promise<Check[]> {
  const name = 'server';
  let response: Response;
  try {
    response = await get(`${url}/readyz`);
    // /readyz needs no key, but the commands' requests do.
    if (response.status === 200) response = await get(`${url}/api`, apiKey);
  } catch {
    const mend = expected
      ? 'Check that it runs and that the address is right: --url or CONTINUO_URL.'
      : 'Start it with: continuo';
    return [{ name, status: expected ? 'bad' : 'warn', says: `no server answers at ${url}`, mend }];
  }
  if (response.status === 200)
    return [{ name, status: 'ok', says: `${url} is ready` }, ...(await heldRemovals(url, apiKey))];
  if (response.status === 401) {
    return [
      {
        name,
        status: 'bad',
        says: `${url} requires its API key`,
        mend: "Set CONTINUO_API_KEY to the server's key.",
      },
    ];
  }
  const text = await response.text();
  return [
    {
      name,
      status: 'bad',
      says: `${url} responds but is not ready: ${response.status} ${text.slice(0, 300)}`,
      mend: 'See its log; if its database is unreachable, the server recovers by itself.',
    },
  ];
}

interface Workspace {
  readonly name: string;
  readonly held_removals: { readonly files: number } | null;
}

/** Workspaces whose files disappeared from the folder at once: a person decides whether that was intended. */
async function heldRemovals(url: string, apiKey: string | undefined): Promise<Check[]> {
  const response = await get(`${url}/api/v1/workspaces`, apiKey);
  if (!response.ok) return [];
  const { items } = (await response.json()) as { items: readonly Workspace[] };
  return items.flatMap(({ name, held_removals: held }) => {
    if (!held) return [];
    const says = `${held.files} files disappeared from the folder of ${name} at once; they are still in the workspace`;
    const mend = `Restore the files, or remove them from the workspace, too: open ${url}/files in a browser.`;
    return [{ name: 'folders', status: 'warn' as const, says, mend }];
  });
}

function get(url: string, apiKey?: string): Promise<Response> {
  return fetch(url, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { accept: 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
  });
}
