// edit: exact replacements in a text, several at once, applied to the newest version.

import { z } from 'zod';
import { make, placeOf, storeText, textOf, type Planned } from './changes.ts';
import { existing, fileAt, shown, type ToolWorld } from './files.ts';
import { linesLike } from './nearest.ts';
import { counted } from './say.ts';
import { ToolFailure, type Tool } from './tool.ts';

const EDITS = 100;
/** Lines that a failure names at most. */
const NAMED_LINES = 10;

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  edits: z
    .array(
      z.object({
        old_text: z.string().min(1).describe('The text to replace, exactly as it is in the file'),
        new_text: z.string().describe('What to put in its place'),
        replace_all: z.boolean().optional().describe('Replaces every occurrence, not the only one'),
      }),
    )
    .min(1)
    .max(EDITS)
    .describe('Replacements, made one after another; all of them or none'),
});
type Input = z.infer<typeof input>;
type Edit = Input['edits'][number];

interface Prepared {
  readonly planned: readonly Planned[];
  readonly replaced: number;
}

export function editTool(world: ToolWorld): Tool<Input, Prepared> {
  return {
    name: 'edit',
    description:
      'Changes parts of a text file: replaces exact pieces of text, each of which must occur once (or replace_all).',
    effect: 'transactional',
    input,
    words: ({ path, edits }) => `Edits ${shown(path)}${edits.length > 1 ? ` in ${edits.length} places` : ''}`,
    paths: ({ path }) => [path],
    async prepare({ path: given, edits }, context) {
      const file = await existing(world, context.workspaceId, fileAt(given));
      const before = await textOf(world, file);
      let text = before;
      let replaced = 0;
      for (const [index, edit] of edits.entries()) {
        const done = replace(text, edit, edits.length > 1 ? `edit ${index + 1}: ` : '');
        text = done.text;
        replaced += done.count;
      }
      if (text === before)
        throw new ToolFailure('the edits change nothing: old_text and new_text are the same');
      context.used(file.id);
      const content = await storeText(world, text);
      return { planned: [{ kind: 'write', path: placeOf(file), base: file.version, content }], replaced };
    },
    async run(_, context) {
      const { planned, replaced } = context.prepared;
      const [change] = await make(world, context, planned);
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

function replace(text: string, edit: Edit, which: string): { readonly text: string; readonly count: number } {
  // A file with Windows line ends is edited with plain ones.
  const windows = text.includes('\r\n') && !text.includes(edit.old_text);
  const [old, fresh] = [edit.old_text, edit.new_text].map((part) =>
    windows ? part.replaceAll(/\r?\n/g, '\r\n') : part,
  ) as [string, string];
  const places = placesOf(text, old);
  if (places.length === 0) throw new ToolFailure(`${which}old_text is not in the file. ${hint(text, edit)}`);
  if (places.length > 1 && edit.replace_all !== true) {
    const lines = places.slice(0, NAMED_LINES).map((place) => lineOf(text, place));
    const more = places.length > NAMED_LINES ? ', …' : '';
    throw new ToolFailure(
      `${which}old_text occurs ${places.length} times (lines ${lines.join(', ')}${more}); add more of what is around it, or set replace_all`,
    );
  }
  return { text: text.split(old).join(fresh), count: places.length };
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function hint(text: string, { old_text: old }: Edit): string {
  if (/^ *\d+\t/.test(old)) return 'Leave the line numbers that read shows out of old_text.';
  const wanted = old.split('\n').find((line) => line.trim() !== '') ?? '';
  const alike = linesLike(wanted, text);
  if (alike.length === 0) return 'Read it again: no line is like it.';
  return `The nearest lines are:\n${alike.join('\n')}`;
}
