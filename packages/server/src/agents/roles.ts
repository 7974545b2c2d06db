// The built-in roles: a Markdown file each, whose text is the model's preamble.

import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

export type Roles = ReadonlyMap<string, { readonly preamble: string }>;

export const DEFAULT_ROLE = 'assistant';

export async function loadRoles(): Promise<Roles> {
  const folder = new URL('./', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  const entries = files.map(async (name) => {
    const preamble = (await readFile(new URL(name, folder), 'utf8')).trim();
    return [basename(name, '.md'), { preamble }] as const;
  });
  return new Map(await Promise.all(entries));
}
