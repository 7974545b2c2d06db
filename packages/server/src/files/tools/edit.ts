// edit: makes exact replacements in the newest version of a text, several at once.

import { z } from 'zod';
import { applyChanges, placeOf, storeText, textOf, type Planned } from './changes.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { heavyWork } from './heavy.ts';
import { counted } from './format.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';

const EDITS = 100;

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  edits: z
    .array(
      z.object({
        old_text: z.string().min(1).describe('The text to replace, exactly as it is in the file'),
        new_text: z.string().describe('The text that replaces it'),
        replace_all: z
          .boolean()
          .optional()
          .describe('Replaces every occurrence; without it, old_text must occur exactly once'),
      }),
    )
    .min(1)
    .max(EDITS)
    .describe('Replacements, made in order; either all are made or none'),
});
type Input = z.infer<typeof input>;

interface Prepared {
  readonly planned: readonly Planned[];
  readonly replaced: number;
}

export function editTool(world: ToolWorld): Tool<Input, Prepared> {
  return {
    name: 'edit',
    description:
      'Changes parts of a text file: replaces exact pieces of text, each of which must occur exactly once (unless replace_all is set).',
    effect: 'transactional',
    input,
    words: ({ path, edits }) =>
      `Edits ${displayPath(path)}${edits.length > 1 ? ` in ${edits.length} places` : ''}`,
    paths: ({ path }) => [path],
    async prepare({ path: given, edits }, context) {
      const file = await requireFile(world, context.workspaceId, fileAt(given));
      const before = await textOf(world, file);
      const done = await heavyWork('replace', { text: before, edits }, context, {
        what: `editing ${file.path}`,
        instead: 'make fewer edits per call, and keep old_text short',
      });
      if (!done.ok) throw new ToolFailure(done.problem);
      const { text, replaced } = done;
      if (text === before)
        throw new ToolFailure('the edits change nothing: old_text and new_text are the same');
      context.used(file.id);
      const content = await storeText(world, text);
      return { planned: [{ kind: 'write', path: placeOf(file), base: file.version, content }], replaced };
    },
    async run(_, context) {
      const { planned, replaced } = context.prepared;
      const [change] = await applyChanges(world, context, planned);
      const { file } = change!;
      return {
        path: file.path,
        file: file.id,
        version: file.version,
        text: `${file.path} edited: ${counted(replaced, 'replacement')}, version ${file.version}`,
      };
    },
  };
}
