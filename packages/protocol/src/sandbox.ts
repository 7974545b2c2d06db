// HTTP API bodies for commands in the sandbox.

import { z } from 'zod';
import { id, time } from './scalars.ts';

export const sandbox = z
  .object({
    usable: z.boolean().meta({ description: 'Whether agents have the tool `exec` on this server.' }),
    runner: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'Why it is not usable.' }),
    remedy: z.string().nullable().meta({ description: 'What to install or change.' }),
  })
  .meta({ id: 'Sandbox' });

export const execution = z
  .object({
    id: z.string().meta({ description: 'The run’s id, a colon, and the call’s id.' }),
    run_id: id,
    thread_id: id,
    call: z.string(),
    command: z.string(),
    cwd: z.string(),
    network: z.array(z.string()).meta({ description: 'The hosts that it may reach.' }),
    status: z.enum(['running', 'ended']),
    output: z.string().meta({
      description:
        'While it runs, the end of the output; afterwards all of it that is kept. Plain text, or with escape sequences for colours and no others.',
    }),
    output_bytes: z.int().meta({ description: 'How much the command has written.' }),
    exit_code: z.int().nullable(),
    ended_by: z
      .enum(['time', 'output', 'memory', 'scratch', 'canceled'])
      .nullable()
      .meta({ description: 'The limit that ended it.' }),
    changes: z
      .array(
        z.object({
          path: z.string(),
          base: z.int().meta({ description: 'The version that the command started from; 0: a new file.' }),
          size: z.int(),
          text: z.boolean(),
          state: z.enum(['open', 'applied', 'outdated']).meta({
            description: 'outdated: the file has another version by now, so the change cannot be applied.',
          }),
          version: z.int().nullable().meta({ description: 'The version that it became when applied.' }),
        }),
      )
      .meta({ description: 'The files that it proposes to change.' }),
    left_out: z
      .array(z.object({ path: z.string(), reason: z.string() }))
      .meta({ description: 'What it changed besides, and why that is not proposed.' }),
    started_at: time,
    ended_at: time.nullable(),
  })
  .meta({ id: 'Execution', description: 'A call of `exec`.' });

export const appliedChanges = z
  .strictObject({ paths: z.array(z.string().max(1024)).min(1).max(1000) })
  .meta({ id: 'AppliedChanges', description: 'The files to apply, all or none.' });

export type SandboxState = z.infer<typeof sandbox>;
export type Execution = z.infer<typeof execution>;
