// A pause is a durable fact about the current run. The run stops before its next step, and no pod holds it until it is resumed.

import type { SessionState } from '@continuo/protocol';
import { transition, type SessionInput } from '../../actors/session.ts';
import { announceFact, principalJson, type FactWorld } from './world.ts';

export type Paused =
  | { readonly ok: true; readonly session: SessionState }
  | { readonly ok: false; readonly problem: string };

interface Row {
  /** Whether the run now has the requested state; false if there is no such run. */
  done: boolean;
  owner: string | null;
  session: SessionState | null;
}

const SESSION = `(select s.state from sessions s where s.thread_id = $1 order by s.started_at desc, s.id desc limit 1) as session`;

export function requestPause(world: FactWorld, threadId: string): Promise<Paused> {
  return ask(world, threadId, {
    input: 'pause',
    name: 'request_pause',
    values: [threadId, principalJson(world)],
    // Idempotent: concurrent requests all succeed.
    text: `with asked as (
        update runs set pause_requested_at = coalesce(pause_requested_at, clock_timestamp()),
          pause_requested_by = coalesce(pause_requested_by, $2)
        where id = (
            select id from runs where thread_id = $1 and status in ('queued', 'running') and cancel_requested_at is null
            order by ordinal limit 1)
          and status in ('queued', 'running') and cancel_requested_at is null
        returning thread_id
      ), woken as (
        update threads t set wake_at = least(t.wake_at, clock_timestamp()) from asked where t.id = asked.thread_id
        returning t.owner
      )
      select exists (select from asked) as done, (select owner from woken) as owner, ${SESSION}`,
  });
}

export function requestResume(world: FactWorld, threadId: string): Promise<Paused> {
  return ask(world, threadId, {
    input: 'resume',
    name: 'request_resume',
    values: [threadId],
    text: `with asked as (
        update runs set pause_requested_at = null, pause_requested_by = null
        where thread_id = $1 and status in ('queued', 'running') and pause_requested_at is not null
        returning thread_id
      ), woken as (
        update threads t set wake_at = least(t.wake_at, clock_timestamp())
        from (select distinct thread_id from asked) a where t.id = a.thread_id
        returning t.owner
      )
      select exists (select from asked) as done, (select owner from woken) as owner, ${SESSION}`,
  });
}

async function ask(
  world: FactWorld,
  threadId: string,
  { input, ...statement }: { input: SessionInput; name: string; text: string; values: string[] },
): Promise<Paused> {
  const { rows } = await world.pool.query<Row>(statement);
  const { done, owner, session } = rows[0]!;
  const state = session ?? 'idle';
  if (done) {
    await announceFact(world, threadId, owner);
    return { ok: true, session: state };
  }
  const next = transition(state, input);
  if (!next.ok) return next;
  // The session allows the transition, but no open run can make it, or an earlier resume request is still pending.
  return input === 'resume'
    ? { ok: true, session: state }
    : { ok: false, problem: `a session that is being stopped cannot ${input}` };
}
