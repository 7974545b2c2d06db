// Connects a command to its server.

import { resolve } from 'node:path';
import { createClient, type Client } from '@continuo/client';
import { isLoopback, readPersonToken } from '@continuo/server/person-token';
import { CommandError, EXIT, usageError } from './failure.ts';

export interface Remote {
  readonly json?: boolean;
  readonly url?: string;
  readonly workspace?: string;
}

export interface Connected {
  readonly client: Client;
  readonly url: string;
  /** A command line for the same server and workspace, to show to people. */
  readonly commandFor: (words: string) => string;
}

export async function connect({ url, workspace }: Remote): Promise<Connected> {
  const baseUrl = checkedUrl(url ?? serverUrl(process.env));
  const apiKey = await secretFor(baseUrl, process.env);
  const client = createClient({
    baseUrl,
    ...(apiKey && { apiKey }),
    ...(workspace !== undefined && { workspace }),
  });
  const options = [
    ...(workspace === undefined ? [] : ['-w', workspace]),
    ...(url === undefined ? [] : ['--url', url]),
  ];
  const commandFor = (words: string) => ['continuo', words, ...options.map(quoted)].join(' ');
  return { client, url: baseUrl, commandFor };
}

/**
 * The API key or the person's token from the environment, or the token in the home, which is sent only to a server on
 * this machine.
 */
async function secretFor(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const given = env.CONTINUO_API_KEY || env.CONTINUO_PERSON_TOKEN;
  if (given) return given;
  return isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')) ? readPersonToken(homeOf(env)) : null;
}

export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env.CONTINUO_HOME || '.continuo');
}

function quoted(word: string): string {
  return /^[\w.:/@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Refuses an invalid address, so that it is not reported as an unreachable server. */
export function checkedUrl(given: string): string {
  const url = URL.parse(given);
  const hint = 'Set it with --url or CONTINUO_URL, such as http://127.0.0.1:4400';
  if (!/^https?:$/.test(url?.protocol ?? ''))
    throw usageError(`${JSON.stringify(given)} is not a server address.`, hint);
  const { username, password, search, hash } = url!;
  if (username || password)
    throw usageError(
      'A server address must not contain a user name or password; set the key with CONTINUO_API_KEY.',
      hint,
    );
  if (search || hash) throw usageError('A server address must not contain "?" or "#".', hint);
  return given;
}

/** CONTINUO_URL, or the address of a server with the same settings. */
export function serverUrl(env: Readonly<Record<string, string | undefined>>): string {
  if (env.CONTINUO_URL) return env.CONTINUO_URL;
  const host = env.CONTINUO_HOST || '127.0.0.1';
  // A server that listens on every address is reached by this one.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${env.CONTINUO_PORT || '4400'}`;
}

export type Target =
  | { readonly kind: 'run'; readonly id: string }
  | { readonly kind: 'chat'; readonly id: string };

/** The given id, or that of the newest run. */
export async function runIdOf({ client }: Connected, given: string): Promise<string> {
  if (given !== 'last') return given;
  const { items } = await client.runs.list({ limit: 1 });
  if (items[0]) return items[0].id;
  throw new CommandError('There is no run yet.', { code: 'run_not_found', exitCode: EXIT.notFound });
}

/** Whether an id is a run's or a chat's. */
export async function targetOf(connected: Connected, given: string): Promise<Target> {
  const { client } = connected;
  const id = await runIdOf(connected, given);
  try {
    await client.runs.get(id);
    return { kind: 'run', id };
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'run_not_found') throw error;
    await client.chats.get(id);
    return { kind: 'chat', id };
  }
}
