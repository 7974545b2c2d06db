// Tools whose effects are rows that a test can count: one of each class.

import pg from 'pg';
import { z } from 'zod';
import { ToolFailure, type AnyTool, type Tool } from '@continuo/server/internals';

const input = z.object({
  note: z.string(),
  /** How long the effect takes. */
  delay_ms: z.number().int().min(0).optional(),
  fail: z.boolean().optional(),
  /** What it says it touches. */
  path: z.string().optional(),
  /** Adds to the output on whose behalf the run acts. */
  tell_principal: z.boolean().optional(),
});
type Input = z.infer<typeof input>;

const paths = ({ path }: Input) => (path === undefined ? [] : [path]);
const INSERT = 'insert into effects (kind, key, note) values ($1, $2, $3)';

export function createTestTools(databaseUrl: string): AnyTool[] {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);

  const transactional: Tool<Input> = {
    name: 'transactional',
    description: 'Writes a note in the run’s own transaction.',
    effect: 'transactional',
    input,
    paths,
    async run({ note, delay_ms, fail }, { sql, key }) {
      await sql.query(INSERT, ['transactional', key, note]);
      await pause(delay_ms);
      if (fail) throw new ToolFailure('it was told to fail');
      return { wrote: note };
    },
  };
  const idempotent: Tool<Input> = {
    name: 'idempotent',
    description: 'Writes a note once per key.',
    effect: 'idempotent',
    input,
    paths,
    async run({ note, delay_ms }, { key }) {
      await pause(delay_ms);
      await pool.query(`${INSERT} on conflict do nothing`, ['idempotent', key, note]);
      return { wrote: note };
    },
  };
  const external: Tool<Input> = {
    name: 'external',
    description: 'Writes a note outside of any transaction of the run.',
    effect: 'external',
    input,
    paths,
    async run({ note, delay_ms, fail }, { key }) {
      await pool.query(INSERT, ['external', key, note]);
      await pause(delay_ms);
      if (fail) throw new ToolFailure('it was told to fail');
      return { wrote: note };
    },
  };
  const pure: Tool<Input> = {
    name: 'pure',
    description: 'Looks at a note and changes nothing.',
    effect: 'pure',
    input,
    paths,
    async run({ note, delay_ms, tell_principal }, { signal, principal }) {
      await pause(delay_ms, signal);
      return { saw: note, ...(tell_principal && { principal }) };
    },
  };
  return [transactional, idempotent, external, pure];
}

function pause(ms = 0, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new ToolFailure('stopped'));
    });
  });
}
