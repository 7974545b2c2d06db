// The list of the file tools.

import { diffTool } from './diff.ts';
import { editTool } from './edit.ts';
import type { ToolWorld } from './shared.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { historyTool } from './history.ts';
import { lsTool } from './ls.ts';
import { moveTool } from './move.ts';
import { patchTool } from './patch.ts';
import { readTool } from './read.ts';
import type { AnyTool } from '../../tools/registry.ts';
import { removeTool } from './remove.ts';
import { restoreTool } from './restore.ts';
import { treeTool } from './tree.ts';
import { writeTool } from './write.ts';

export function createFileTools(world: ToolWorld): readonly AnyTool[] {
  return [
    lsTool(world),
    treeTool(world),
    readTool(world),
    writeTool(world),
    editTool(world),
    patchTool(world),
    moveTool(world),
    removeTool(world),
    globTool(world),
    grepTool(world),
    historyTool(world),
    diffTool(world),
    restoreTool(world),
  ];
}
