// A request for the events of a run, a thread or a chat: as a stream, or as pages of JSON.

import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { limitQuery, page } from '../kernel/shared.ts';
import { answerWithStream } from './sse.ts';

/** The header with which a client resumes a stream. */
export const cursorHeader = z.object({ 'last-event-id': z.string().optional() });

export const eventsQuery = z.object({
  after: z.string().optional(),
  limit: limitQuery,
  format: z.enum(['json', 'sse']).optional(),
});

export function eventsResponse<T extends z.ZodType>(event: T) {
  return {
    description: 'The events',
    content: {
      'text/event-stream': { schema: z.string() },
      'application/json': { schema: page(event) },
    },
  };
}

/** The cursor of a client that resumes; '0' is the beginning. */
export function cursorIn(c: Context, after: string | undefined): string {
  return c.req.header('last-event-id') || after || '0';
}

/** Whether the client asks for a page of JSON instead of a stream. */
export function wantsPage(c: Context, format: 'json' | 'sse' | undefined): boolean {
  if (format !== undefined) return format === 'json';
  const accept = c.req.header('accept') ?? '';
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}

interface Events {
  readonly asPage: boolean;
  /** Resolves to the page as JSON. */
  readonly page: () => Promise<string>;
  readonly stream: (response: ServerResponse) => void;
}

export async function answerWithEvents(
  c: Context<{ Bindings: HttpBindings }>,
  { asPage, page: readPage, stream }: Events,
): Promise<Response> {
  if (!asPage) return answerWithStream(c, stream);
  return c.body(await readPage(), 200, { 'content-type': 'application/json' });
}
