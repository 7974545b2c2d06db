// The server that a command talks to.

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
  /** A command to the same server and workspace, for people to type. */
  readonly again: (words: string) => string;
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
  const again = (words: string) => ['continuo', words, ...options.map(quoted)].join(' ');
  return { client, url: baseUrl, again };
}

/** The server's key, or the person's token: given, or that of the home, which only a server of this machine is sent. */
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

/** What is no address is no server that is away. */
export function checkedUrl(given: string): string {
  const url = URL.parse(given);
  const hint = 'Say where it is with --url or CONTINUO_URL, such as http://127.0.0.1:4400';
  if (!/^https?:$/.test(url?.protocol ?? ''))
    throw usageError(`${JSON.stringify(given)} is no address of a server.`, hint);
  const { username, password, search, hash } = url!;
  if (username || password)
    throw usageError(
      'The address of a server has no name and no password; its key is CONTINUO_API_KEY.',
      hint,
    );
  if (search || hash) throw usageError('The address of a server ends before a "?" or a "#".', hint);
  return given;
}

/** CONTINUO_URL, or where a server with the same settings listens. */
export function serverUrl(env: Readonly<Record<string, string | undefined>>): string {
  if (env.CONTINUO_URL) return env.CONTINUO_URL;
  const host = env.CONTINUO_HOST || '127.0.0.1';
  // Bound to every address, it is reached here by this one.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${env.CONTINUO_PORT || '4400'}`;
}

export type Target =
  | { readonly kind: 'run'; readonly id: string }
  | { readonly kind: 'chat'; readonly id: string };

/** The id that was given, or that of the newest run. */
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
