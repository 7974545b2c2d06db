// HTTP API bodies for MCP servers.

import { z } from 'zod';
import { time } from './scalars.ts';

const plain = z
  .string()
  .max(8192)
  .regex(/^[^\0]*$/, 'must not contain NUL (U+0000)');
const kept = 'null keeps the stored value. `${NAME}` stands for an environment variable of the server.';
const mcpCommon = {
  trust: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether to trust what the server says about the effects of its tools.' }),
  timeout_seconds: z
    .number()
    .min(1)
    .max(3600)
    .default(60)
    .meta({ description: 'The time limit of one call.' }),
  enabled: z.boolean().default(true),
};

export const mcpServerName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    'must be 1 to 32 lower-case letters, digits and hyphens, with no hyphen at an end',
  );

/** `fetch` refuses a URL with a user or password, and everyone who can list servers would see it. */
function hasUser(url: string): boolean {
  const { username, password } = URL.parse(url) ?? { username: '', password: '' };
  return username !== '' || password !== '';
}

export const mcpConfig = z
  .discriminatedUnion('transport', [
    z.strictObject({
      transport: z.literal('stdio'),
      command: plain.min(1).meta({ description: 'A program, started without a shell.' }),
      args: z.array(plain).max(256).default([]),
      env: z
        .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), plain.nullable())
        .default({})
        .meta({ description: `The environment variables of the process. ${kept}` }),
      cwd: plain
        .regex(/^\//, 'must be an absolute path')
        .optional()
        .meta({ description: 'Default: the working folder of this server.' }),
      ...mcpCommon,
    }),
    z.strictObject({
      transport: z.literal('http'),
      url: z
        .url({ protocol: /^https?$/ })
        .max(8192)
        .refine(
          (url) => !hasUser(url),
          'must not contain a user or a password; send them in `headers`, as `authorization`',
        ),
      headers: z
        .record(
          z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be a valid header name'),
          z
            .string()
            .max(8192)
            .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII')
            .nullable(),
        )
        .default({})
        .meta({ description: kept }),
      ...mcpCommon,
    }),
  ])
  .meta({
    id: 'McpConfig',
    description: 'An MCP server. The values of `env` and `headers` are never sent back.',
  });

export const mcpServer = z
  .object({
    name: z.string(),
    config: mcpConfig,
    created_at: time,
    updated_at: time,
    state: z
      .discriminatedUnion('status', [
        z.object({ status: z.literal('disabled') }),
        z.object({ status: z.literal('connecting'), since: time }),
        z.object({
          status: z.literal('ready'),
          since: time,
          tools: z.array(
            z.object({
              name: z.string().meta({ description: 'The name that models see.' }),
              tool: z.string().meta({ description: 'The MCP server’s own name for it.' }),
              description: z.string(),
              effect: z.enum(['pure', 'idempotent', 'external', 'transactional']),
            }),
          ),
          left_out: z.array(z.object({ tool: z.string(), reason: z.string() })),
        }),
        z.object({ status: z.literal('failed'), since: time, reason: z.string(), retry_at: time }),
      ])
      .meta({ description: 'The state on the pod that answers; each pod has its own connections.' }),
  })
  .meta({ id: 'McpServer' });

export type McpConfig = z.infer<typeof mcpConfig>;
export type McpServer = z.infer<typeof mcpServer>;
