// Content: list, check, publish now or at a time, cancel, unpublish, history, restore.

import { connect, type Remote } from '../connect.ts';
import { CommandError, usageError } from '../failure.ts';
import { note, print, printJson, safe, short, table, time } from '../output.ts';

export async function list(type: string | undefined, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const types = type === undefined ? (await client.content.types()).items.map(({ name }) => name) : [type];
  const pages = await Promise.all(types.map((name) => client.content.pieces(name)));
  const items = pages.flatMap((page) => page.items);
  if (remote.json) return printJson({ items });
  if (items.length === 0) return note('No content. A file such as /content/articles/hello.md is an article.');
  print(
    table(
      ['TYPE', 'SLUG', 'STATE', 'LIVE', 'SCHEDULED'],
      items.map(({ type: name, slug, state, live, scheduled }) => [
        short(name, 20),
        short(slug, 60),
        state,
        live ? `version ${live.version}, ${time(live.published_at)}` : '',
        scheduled
          ? `version ${scheduled.version}, ${time(scheduled.at)}${scheduled.problem === null ? '' : `: ${short(scheduled.problem)}`}`
          : '',
      ]),
    ),
  );
}

export async function check(type: string, slug: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const checked = await client.content.check(type, slug);
  if (remote.json) printJson(checked);
  else {
    print(`${safe(checked.title)}: version ${checked.version}, ${checked.words} words`);
    for (const { line, sentence } of checked.problems)
      print(`- ${line === null ? '' : `line ${line}: `}${safe(sentence)}`);
  }
  if (checked.problems.length > 0)
    throw new CommandError(`${type}/${slug} cannot be published yet`, { code: 'content_invalid' });
}

interface PublishOptions extends Remote {
  readonly version?: number;
  readonly at?: string;
}

export async function publish(type: string, slug: string, options: PublishOptions): Promise<void> {
  const { version, at } = options;
  const { client } = await connect(options);
  const which = version === undefined ? {} : { version };
  if (at === undefined) {
    const published = await client.content.publish(type, slug, which);
    if (options.json) return printJson(published);
    return print(`${type}/${slug} is live, version ${published.version}`);
  }
  const scheduled = await client.content.schedule(type, slug, { ...which, at: timeOf(at) });
  if (options.json) return printJson(scheduled);
  print(`${type}/${slug}, version ${scheduled.version}, is published ${time(scheduled.at)}`);
}

function timeOf(given: string): string {
  const at = new Date(given);
  if (Number.isNaN(at.getTime()))
    throw usageError(`--at ${JSON.stringify(given)} is not a time; write it as 2026-03-01T09:00`);
  return at.toISOString();
}

export async function cancel(type: string, slug: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  await client.content.cancelSchedule(type, slug);
  if (remote.json) return printJson({ type, slug, scheduled: null });
  print(`${type}/${slug} is no longer scheduled`);
}

export async function unpublish(type: string, slug: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  await client.content.unpublish(type, slug);
  if (remote.json) return printJson({ type, slug, live: null });
  print(`${type}/${slug} is no longer live`);
}

export async function history(type: string, slug: string, remote: Remote): Promise<void> {
  const { client } = await connect(remote);
  const { items } = await client.content.publications(type, slug);
  if (remote.json) return printJson({ items });
  if (items.length === 0) return note(`${type}/${slug} was never live.`);
  print(
    table(
      ['VERSION', 'TITLE', 'LIVE FROM', 'UNTIL'],
      items.map(({ version, title, at, until }) => [
        String(version),
        short(title, 60),
        time(at),
        until === null ? 'live now' : time(until),
      ]),
    ),
  );
}

export async function restore(
  type: string,
  slug: string,
  options: Remote & { readonly version?: number },
): Promise<void> {
  const { client } = await connect(options);
  const published = await client.content.restore(type, slug, { version: options.version });
  if (options.json) return printJson(published);
  print(`${type}/${slug} is live, version ${published.version}`);
}
