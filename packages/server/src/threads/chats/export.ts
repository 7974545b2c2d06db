// A chat, or one of its runs, as a file to share: Markdown to read, or JSON with every event as it is stored. It is read in
// pages while it is sent, and ends with the last event that was there at the beginning.

import { threadEventJson } from '@continuo/protocol';
import type { Queryable } from '../../db/pool.ts';
import type { StoredEvent } from '../../log/event.ts';
import { readRunEvents, readThreadEvents } from '../../log/statements.ts';
import { paragraph } from './transcript.ts';

export const EXPORT_FORMATS = ['markdown', 'json'] as const;

/** The version of the JSON. */
const VERSION = 1;
const EVENTS_PER_PAGE = 500;

export interface ExportOrder {
  readonly threadId: string;
  /** Only this run's events. */
  readonly runId: string | null;
  /** The last event of the chat. */
  readonly end: number;
}

export async function* chatAsMarkdown(
  client: Queryable,
  order: ExportOrder,
  title: string,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`# ${title.replaceAll(/\s+/g, ' ')}\n`);
  for await (const page of pagesOf(client, order)) {
    const said = page.map(paragraph).filter((text) => text !== null);
    if (said.length > 0) yield Buffer.from(said.map((text) => `\n${text}\n`).join(''));
  }
}

/** `about`: the chat, and the run if only one is exported. */
export async function* chatAsJson(
  client: Queryable,
  order: ExportOrder,
  about: object,
): AsyncGenerator<Buffer> {
  const head = JSON.stringify({ format: 'continuo-chat', version: VERSION, as_of: order.end, ...about });
  yield Buffer.from(`${head.slice(0, -1)},"events":[`);
  let separator = '\n';
  for await (const page of pagesOf(client, order)) {
    yield Buffer.from(separator + page.map(threadEventJson).join(',\n'));
    separator = ',\n';
  }
  yield Buffer.from('\n]}\n');
}

async function* pagesOf(
  client: Queryable,
  { threadId, runId, end }: ExportOrder,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let after = 0; after < end;) {
    const events =
      runId === null
        ? await readThreadEvents(client, threadId, after, EVENTS_PER_PAGE)
        : await readRunEvents(client, { threadId, runId, after, limit: EVENTS_PER_PAGE });
    const page = events.filter(({ seq }) => seq <= end);
    if (page.length === 0) return;
    yield page;
    after = events.at(-1)!.seq;
  }
}
