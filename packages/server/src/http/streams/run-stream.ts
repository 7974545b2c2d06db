// Streams one run in a dialect: from its beginning, or after the last frame that a client has.

import type { Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import type { Queryable } from '../../db/pool.ts';
import { readRun, type StoredRun } from '../../runs/reads/read-runs.ts';
import type { HttpContext } from '../app.ts';
import { notFound } from '../kernel/shared.ts';
import { scopeOfRun } from '../kernel/scope.ts';
import { positionAtStart, positionOf, type DialectBinding, type StreamSource } from './dialect-stream.ts';
import { answerWithStream } from './sse.ts';

export function sourceOf({
  id,
  thread_id,
  startAfter,
}: Pick<StoredRun, 'id' | 'thread_id' | 'startAfter'>): StreamSource {
  return { threadId: thread_id, run: { id, startAfter } };
}

/** The thread and the start of a run. An open run of this pod needs no query. */
export async function findSource(
  { recent }: HttpContext,
  db: Queryable,
  runId: string,
): Promise<StreamSource> {
  const place = recent.place(runId);
  if (place) return { threadId: place.threadId, run: { id: runId, startAfter: place.startAfter } };
  const run = await readRun(db, runId);
  if (!run) throw notFound('run', runId);
  return sourceOf(run);
}

export function streamRun<State>(
  c: Context<{ Bindings: HttpBindings }>,
  { streams }: HttpContext,
  binding: DialectBinding<State>,
  source: StreamSource,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const from = positionAtStart(binding.dialect, source);
  return answerWithStream(c, (response) => streams.follow(response, { binding, source, from, headers }));
}

/** Streams a run after the frame with the id `given`; 204 if that was its last frame. */
export async function resumeRun<State>(
  c: Context<{ Bindings: HttpBindings }>,
  { streams }: HttpContext,
  binding: DialectBinding<State>,
  runId: string,
  given: string,
): Promise<Response> {
  const { db } = await scopeOfRun(c, runId);
  const run = await readRun(db, runId);
  if (!run) throw notFound('run', runId);
  const source = sourceOf(run);
  const from = await positionOf(db, c.env.outgoing, binding.dialect, source, given);
  if (from.seq === run.lastSeq) return c.body(null, 204);
  return answerWithStream(c, (response) => streams.follow(response, { binding, source, from }));
}
