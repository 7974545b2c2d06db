// apply_changes: makes changes of a command in the sandbox real. Each becomes a version by this run, if its file is still
// the version that the command started from.

import { z } from 'zod';
import { applyChanges, CHANGED_FILES, type Planned } from '../../files/tools/changes.ts';
import { displayPath, fileAt, type ToolWorld } from '../../files/tools/shared.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';
import { findExecution, recordApplied, type ExecutionId } from '../executions.ts';
import { NotProposed, storeProposed } from '../proposal.ts';

const input = z.strictObject({
  call: z.string().min(1).max(200).describe('The call of exec, as its result names it'),
  paths: z.array(z.string().max(1024)).min(1).max(CHANGED_FILES).describe('The files to apply'),
});
type Input = z.infer<typeof input>;

interface Prepared {
  readonly execution: ExecutionId;
  readonly planned: readonly Planned[];
}

export function applyChangesTool(world: ToolWorld): Tool<Input, Prepared> {
  return {
    name: 'apply_changes',
    description:
      'Applies changes that a command of exec made to its copy of the workspace: the files that you name, all or none.',
    effect: 'transactional',
    input,
    like: 'write',
    paths: ({ paths }) => paths,
    words: ({ paths }) =>
      paths.length === 1 ? `Applies ${displayPath(paths[0]!)}` : `Applies ${paths.length} files of a command`,
    async prepare({ call, paths }, context) {
      const execution = await findExecution(world.pool, context.threadId, call);
      if (!execution)
        throw new ToolFailure(`this conversation has no exec with the call ${JSON.stringify(call)}`);
      const { maxFileBytes } = world.workspaces.options;
      const proposed = await storeProposed(world.pool, execution, paths.map(fileAt), maxFileBytes).catch(
        (error: unknown) => {
          throw error instanceof NotProposed
            ? new ToolFailure(`nothing was applied: ${error.message}`)
            : error;
        },
      );
      return { execution, planned: proposed.map((each): Planned => ({ kind: 'write', ...each })) };
    },
    async run(_, context) {
      const { execution, planned } = context.prepared;
      const changes = await applyChanges(world, context, planned);
      await recordApplied(
        context.sql,
        execution,
        changes.map(({ file }) => file),
      );
      const lines = changes.map(({ file }) => `${file.path}: version ${file.version}`);
      return {
        files: changes.length,
        text: [`${changes.length} of ${planned.length} files changed`, ...lines].join('\n'),
      };
    },
  };
}
