// The sandbox: the runner that can be used here, if there is one. Without it, runs have no tool that executes commands.

import { join } from 'node:path';
import type { Bus } from '../bus/bus.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import { probeSandbox } from '../sandbox/probe.ts';
import type { SandboxState } from '@continuo/protocol';
import type { Unusable } from '../sandbox/runner.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import type { Database } from './database.ts';
import type { ServerOptions } from './options.ts';

export interface WiredSandbox {
  readonly sandbox: Sandbox | null;
  /** As people see it. */
  readonly state: SandboxState;
}

interface Needs {
  readonly bus: Bus;
  readonly workspaces: Workspaces;
  readonly outgoing: Outgoing;
}

export async function wireSandbox(
  { config, log, env }: ServerOptions,
  { pool, onError }: Database,
  { bus, workspaces, outgoing }: Needs,
): Promise<WiredSandbox> {
  if (config.sandbox === 'off')
    return none({
      reason: 'CONTINUO_SANDBOX is off',
      remedy: 'remove the setting to let agents run commands',
    });
  const probed = await probeSandbox({ ...config, sandbox: config.sandbox }, join(config.home, 'runner'), env);
  if (!probed.ok) {
    const { reason, remedy } = probed;
    log.warn({ reason, remedy }, 'agents cannot run commands: there is no usable sandbox');
    return none({ reason, remedy });
  }
  const sandbox = createSandbox({
    pool,
    bus,
    workspaces,
    outgoing,
    home: config.home,
    runner: probed.runner,
    log,
  });
  sandbox.tidy().catch(onError);
  return { sandbox, state: { usable: true, runner: sandbox.runner, reason: null, remedy: null } };
}

function none({ reason, remedy }: Unusable): WiredSandbox {
  return { sandbox: null, state: { usable: false, runner: null, reason, remedy } };
}
