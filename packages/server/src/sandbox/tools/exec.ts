// exec: runs a shell command in the sandbox. Its changes to the workspace are a proposal; apply_changes makes them.

import { posix } from 'node:path';
import { z } from 'zod';
import { folderAt, requireFolder, type ToolWorld } from '../../files/tools/shared.ts';
import { readNetwork } from '../../workspaces/policies.ts';
import { errorForModels, ToolFailure, type Tool } from '../../tools/tool.ts';
import { COMMAND_CHARACTERS, DEFAULT_SECONDS, LIMITS, MOST_SECONDS } from '../limits.ts';
import { shownText } from '../output.ts';
import { createList, targetOf } from '../proxy.ts';
import { SandboxFailed, type Limit } from '../runner.ts';
import type { CommandResult, Sandbox } from '../sandbox.ts';

/** What every command gets; the call's own variables come on top. */
const ENVIRONMENT = {
  PATH: '/scratch/bin:/scratch/node_modules/.bin:/scratch/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/scratch',
  USER: 'sandbox',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: '1',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  PYTHONDONTWRITEBYTECODE: '1',
};

/** A command has no effect that could be half done, so it need not end by itself. */
const GRACE_MS = 500;

const input = z.strictObject({
  command: z.string().trim().min(1).max(COMMAND_CHARACTERS).describe('The command, for a shell'),
  cwd: z
    .string()
    .max(1024)
    .optional()
    .describe(
      'The working directory: a folder of the workspace such as /src, or one in /scratch; default: /',
    ),
  slice: z
    .string()
    .max(1024)
    .optional()
    .describe('A folder of the workspace: the command sees only this one; default: the whole workspace'),
  timeout: z
    .int()
    .min(1)
    .max(MOST_SECONDS)
    .optional()
    .describe(`Seconds after which the command is killed; default: ${DEFAULT_SECONDS}`),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/), z.string().max(4096))
    .refine((env) => Object.keys(env).length <= 50, 'at most 50 variables')
    .optional()
    .describe('Environment variables'),
  network: z
    .array(z.string().max(300))
    .max(20)
    .optional()
    .describe(
      'Hosts that the command must reach, such as registry.npmjs.org; default: none. A person may be asked',
    ),
});
type Input = z.infer<typeof input>;

type OfflineTool = Extract<Tool<Input>, { effect: 'pure' | 'idempotent' | 'external' }>;

export function execTool(world: ToolWorld, sandbox: Sandbox): Tool<Input> {
  const offline = offlineTool(world, sandbox);
  // A command's requests cannot be undone, and the responses that it gets may be anybody's text.
  const online = {
    ...offline,
    effect: 'external',
    untrusted: true,
    // Nobody is asked about a command that could not run.
    check: ({ network = [], slice }, { workspaceId }) => requirePossible(world, workspaceId, network, slice),
  } satisfies Tool<Input>;
  return { ...offline, variant: ({ network = [] }) => (network.length > 0 ? online : null) };
}

function offlineTool(world: ToolWorld, sandbox: Sandbox): OfflineTool {
  return {
    name: 'exec',
    description: [
      'Runs a shell command in a sandbox without network, unless hosts are named. The workspace is at /workspace.',
      'Changes to it are not kept: they are returned as a list, and apply_changes applies those that you choose.',
      '/scratch keeps its files between the commands of this chat; put dependencies there (programs find',
      '/scratch/node_modules and /scratch/venv). /tmp is empty at each start.',
    ].join(' '),
    effect: 'pure',
    // Its own limit counts: as many commands at once as there are cores.
    elsewhere: true,
    graceMs: GRACE_MS,
    input,
    // A rule about reading applies to all that the command can read.
    like: 'read',
    paths: ({ slice = '/' }) => (slice.endsWith('/') ? [slice] : [slice, `${slice}/`]),
    words: ({ command, network = [] }) =>
      `Runs ${command.split('\n')[0]!.slice(0, 100)}${network.length > 0 ? `, with access to ${network.join(', ')}` : ''}`,
    summary: (output) => summaryOf(output),
    async run({ command, cwd, slice, timeout = DEFAULT_SECONDS, env, network = [] }, context) {
      await requirePossible(world, context.workspaceId, network, slice);
      const folder = folderAt(slice ?? '/').path;
      const given = {
        command,
        cwd: insidePath(cwd ?? folder),
        slice: folder.slice(1),
        seconds: timeout,
        env: { ...ENVIRONMENT, ...env },
        network,
      };
      if (/\0/.test(command) || Object.values(given.env).some((value) => value.includes('\0')))
        throw new ToolFailure(
          'the command or a variable contains a NUL character (U+0000), which is not allowed',
        );
      const result = await sandbox.run(given, context).catch((error: unknown) => {
        if (error instanceof SandboxFailed)
          throw new ToolFailure(
            `the command was not run, because the sandbox could not be made: ${errorForModels(error)}`,
          );
        throw error;
      });
      return described(result, timeout, context.callId);
    },
  };
}

async function requirePossible(
  world: ToolWorld,
  workspaceId: string,
  network: readonly string[],
  slice = '/',
): Promise<void> {
  await requireListed(world, workspaceId, network);
  await requireFolder(world, workspaceId, folderAt(slice));
}

/** The workspace's policy lists the hosts that commands may reach. */
async function requireListed(world: ToolWorld, workspaceId: string, hosts: readonly string[]): Promise<void> {
  if (hosts.length === 0) return;
  const listed = await readNetwork(world.pool, workspaceId);
  const isListed = createList(listed);
  for (const given of hosts) {
    const [, host = given, port = '443'] = /^(.*?)(?::(\d{1,5}))?$/.exec(given) ?? [];
    const target = targetOf(host, port);
    if (!target)
      throw new ToolFailure(
        `${JSON.stringify(given)} is not a host; write a name such as registry.npmjs.org`,
      );
    if (!isListed(target))
      throw new ToolFailure(
        `the command was not run: the workspace's policy does not let commands reach ${given}; it lists: ${listed.join(', ') || 'no hosts'}. A person can add hosts in the settings, under Policy`,
      );
  }
}

/** A working directory as the command sees it. Paths start at the root of the workspace, as everywhere. */
function insidePath(given: string): string {
  const path = posix.resolve('/', given);
  if (/^\/(workspace|scratch|tmp)(\/|$)/.test(path)) return path;
  return posix.join('/workspace', folderAt(path).path);
}

function described(result: CommandResult, timeout: number, call: string) {
  const { changes, leftOut, outputFile } = result;
  const end =
    result.endedBy === null ? `exit code ${result.exitCode}` : `killed: ${KILLED[result.endedBy](timeout)}`;
  const lines = [
    shownText(result.output).trimEnd(),
    `[${end}, ${(result.milliseconds / 1000).toFixed(1)} s]`,
    ...(outputFile === null
      ? []
      : [`[the whole output is in ${outputFile}; search it with another command]`]),
    ...(changes.length > 0
      ? [
          `[the command changed ${changes.length === 1 ? 'a file' : `${changes.length} files`} of its copy of the workspace; to apply: apply_changes with call ${JSON.stringify(call)} and paths]`,
          ...changes.slice(0, 50).map(({ path, base }) => `${base === 0 ? 'new' : 'changed'} ${path}`),
        ]
      : []),
    ...leftOut.slice(0, 10).map(({ path, reason }) => `not proposed: ${path}: ${reason}`),
  ];
  return {
    exit_code: result.exitCode,
    ...(result.endedBy !== null && { ended_by: result.endedBy }),
    duration_ms: result.milliseconds,
    cpu_seconds: result.cpuSeconds,
    output_bytes: result.outputBytes,
    ...(outputFile !== null && { output_file: outputFile }),
    changes,
    ...(leftOut.length > 0 && { left_out: leftOut }),
    text: lines.filter((line) => line !== '').join('\n'),
  };
}

const KILLED: Readonly<Record<Limit, (timeout: number) => string>> = {
  time: (timeout) => `it ran longer than its time-out of ${timeout} s`,
  output: () => `it wrote more than ${LIMITS.outputBytes / 2 ** 20} MiB of output`,
  memory: () => `it used more than ${LIMITS.memoryBytes / 2 ** 20} MiB of memory`,
  scratch: () =>
    `it wrote more to disk than it may: ${LIMITS.layerBytes / 2 ** 20} MiB to the workspace and /tmp, ${LIMITS.scratchBytes / 2 ** 20} MiB in /scratch, ${LIMITS.entries} files`,
  canceled: () => 'the run was canceled',
};

function summaryOf(output: Readonly<Record<string, unknown>>): string {
  const {
    exit_code: code,
    ended_by: endedBy,
    changes,
  } = output as {
    exit_code?: number | null;
    ended_by?: string;
    changes?: readonly unknown[];
  };
  const end = endedBy === undefined ? `exit code ${code}` : `killed (${endedBy})`;
  return `${end}; ${changes?.length ?? 0} files changed in the sandbox`;
}
