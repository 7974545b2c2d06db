// Streams one run in a dialect: from its beginning, or after the last frame that a client has.

import type { Context } from 'hono';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { HttpBindings } from '@hono/node-server';
import { readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import type { HttpContext } from '../app.ts';
import { positionAtStart, positionOf, type Scope, type DialectBinding } from './dialect-stream.ts';
import { notFound } from '../kernel/shared.ts';

export function scopeOf({
  id,
  thread_id,
  startAfter,
}: Pick<StoredRun, 'id' | 'thread_id' | 'startAfter'>): Scope {
  return { threadId: thread_id, run: { id, startAfter } };
}

/** The thread and the start of a run. An open run of this pod needs no query. */
export async function findScope({ pool, recent }: HttpContext, runId: string): Promise<Scope> {
  const place = recent.place(runId);
  if (place) return { threadId: place.threadId, run: { id: runId, startAfter: place.startAfter } };
  const run = await readRun(pool, runId);
  if (!run) throw notFound('run', runId);
  return scopeOf(run);
}

export function streamRun<State>(
  c: Context<{ Bindings: HttpBindings }>,
  { streams }: HttpContext,
  binding: DialectBinding<State>,
  scope: Scope,
  headers: Readonly<Record<string, string>> = {},
): typeof RESPONSE_ALREADY_SENT {
  const from = positionAtStart(binding.dialect, scope);
  streams.follow(c.env.outgoing, { binding, scope, from, headers });
  return RESPONSE_ALREADY_SENT;
}

/** Streams a run after the frame with the id `given`; 204 if that was its last frame. */
export async function resumeRun<State>(
  c: Context<{ Bindings: HttpBindings }>,
  { pool, streams }: HttpContext,
  binding: DialectBinding<State>,
  runId: string,
  given: string,
): Promise<Response> {
  const run = await readRun(pool, runId);
  if (!run) throw notFound('run', runId);
  const scope = scopeOf(run);
  const from = await positionOf(pool, c.env.outgoing, binding.dialect, scope, given);
  if (from.seq === run.lastSeq) return c.body(null, 204);
  if (c.req.method === 'HEAD')
    return c.body(null, 200, { 'content-type': 'text/event-stream; charset=utf-8' });
  streams.follow(c.env.outgoing, { binding, scope, from });
  return RESPONSE_ALREADY_SENT;
}
