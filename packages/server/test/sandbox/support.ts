// What the tests of the sandbox share: the tools of the sandbox over a real runner.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll } from 'vitest';
import { createOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts';
import { probeSandbox, type Wanted } from '../../src/sandbox/probe.ts';
import type { Limits } from '../../src/sandbox/limits.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { createSandboxTools } from '../../src/sandbox/tools/index.ts';
import { useTools, type ToolsWorld } from '../files/tools/support.ts';

export function wanted(sandbox: Wanted['sandbox'], sandboxFolders: readonly string[] = []): Wanted {
  return { sandbox, sandboxFolders, sandboxRuntime: sandbox === 'podman' ? 'runc' : undefined };
}

/** A world of tools with exec and apply_changes. */
export function useSandbox(
  options: {
    readonly limits?: Limits;
    readonly readable?: readonly string[];
    readonly outgoing?: Outgoing;
    readonly sandbox?: Wanted['sandbox'];
  } = {},
): ToolsWorld {
  let home: string | null = null;
  afterAll(() => home !== null && rm(home, { recursive: true, force: true }));
  return useTools({
    more: async (world) => {
      home = await mkdtemp(join(tmpdir(), 'continuo-sandbox-'));
      const probed = await probeSandbox(
        wanted(options.sandbox ?? 'auto', options.readable),
        join(home, 'runner'),
      );
      if (!probed.ok) throw new Error(`${probed.reason}; ${probed.remedy}`);
      const { pool, workspaces } = world;
      const sandbox = createSandbox({
        pool,
        workspaces,
        home,
        runner: probed.runner,
        outgoing: options.outgoing ?? createOutgoing({ allow: [] }),
        limits: options.limits,
        bus: workspaces.options.bus,
        log: pino({ level: 'silent' }),
      });
      return createSandboxTools(world, sandbox);
    },
  });
}
