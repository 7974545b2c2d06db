// The built-in tools: one list.

import type { ToolWorld } from './files.ts';
import { lsTool } from './ls.ts';
import { readTool } from './read.ts';
import type { AnyTool } from './registry.ts';
import { writeTool } from './write.ts';

export function createBuiltInTools(world: ToolWorld): readonly AnyTool[] {
  return [lsTool(world), readTool(world), writeTool(world)];
}
