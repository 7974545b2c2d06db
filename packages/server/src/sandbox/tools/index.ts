// The tools of the sandbox. Without a sandbox there are none.

import type { ToolWorld } from '../../files/tools/shared.ts';
import type { AnyTool } from '../../tools/registry.ts';
import type { Sandbox } from '../sandbox.ts';
import { applyChangesTool } from './apply-changes.ts';
import { execTool } from './exec.ts';

/** Roles may list them even where there is no sandbox. */
export const SANDBOX_TOOLS: readonly string[] = ['exec', 'apply_changes'];

export function createSandboxTools(world: ToolWorld, sandbox: Sandbox | null): readonly AnyTool[] {
  return sandbox ? [execTool(world, sandbox), applyChangesTool(world)] : [];
}
