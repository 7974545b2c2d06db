// remember and recall: a thread's notes, for its later runs.

import { z } from 'zod';
import type { Queryable } from '../db/pool.ts';
import { mostAlike, type ToolWorld } from '../files/tools/shared.ts';
import { bytes, counted } from '../files/tools/format.ts';
import type { AnyTool } from '../tools/registry.ts';
import { ToolFailure, type Tool } from '../tools/tool.ts';

/** Maximum number of notes in a thread, maximum size of a note, and of what one call recalls. */
const NOTES = 200;
const NOTE_BYTES = 16 * 1024;
const RECALLED_BYTES = 64 * 1024;

const name = z.string().trim().min(1).max(100);
const remembered = z.object({
  name: name.describe('A short name for the note'),
  text: z.string().describe('What to remember; an empty text deletes the note'),
});
type Remembered = z.infer<typeof remembered>;

export function createNoteTools(world: ToolWorld): readonly AnyTool[] {
  return [rememberTool(), recallTool(world)];
}

function rememberTool(): Tool<Remembered> {
  return {
    name: 'remember',
    description:
      'Stores a note under a name, for later in this conversation; replaces an existing note of that name.',
    effect: 'transactional',
    input: remembered,
    words: (input) => `${input.text === '' ? 'Forgets' : 'Remembers'} ${JSON.stringify(input.name)}`,
    async run(input, { sql, threadId, runId }) {
      if (`${input.name}${input.text}`.includes('\0'))
        throw new ToolFailure('the note contains a NUL character (U+0000), which is not allowed');
      const size = Buffer.byteLength(input.text);
      if (size > NOTE_BYTES)
        throw new ToolFailure(
          `the note is too large (${bytes(size)}; at most ${bytes(NOTE_BYTES)}); write a file instead`,
        );
      const quoted = JSON.stringify(input.name);
      if (input.text === '') {
        const { rowCount } = await sql.query('delete from notes where thread_id = $1 and name = $2', [
          threadId,
          input.name,
        ]);
        return {
          name: input.name,
          text: rowCount === 0 ? `there is no note ${quoted}` : `deleted ${quoted}`,
        };
      }
      await sql.query(
        `insert into notes (thread_id, name, text, run_id) values ($1, $2, $3, $4)
          on conflict (thread_id, name) do update
          set text = excluded.text, run_id = excluded.run_id, changed_at = clock_timestamp()`,
        [threadId, input.name.toWellFormed(), input.text.toWellFormed(), runId],
      );
      const { rows } = await sql.query<{ count: number }>(
        'select count(*)::int as count from notes where thread_id = $1',
        [threadId],
      );
      if (rows[0]!.count > NOTES)
        throw new ToolFailure(
          `a conversation may have at most ${NOTES} notes; delete one by remembering an empty text under its name`,
        );
      return { name: input.name, text: `remembered ${quoted}, ${bytes(size)}` };
    },
  };
}

const recalled = z.object({ name: name.optional().describe('The name of the note; default: all notes') });
type Recalled = z.infer<typeof recalled>;

function recallTool({ pool }: ToolWorld): Tool<Recalled> {
  return {
    name: 'recall',
    description: 'Reads the notes of this conversation: one note, or all of them.',
    effect: 'pure',
    input: recalled,
    words: (input) =>
      input.name === undefined ? 'Reads all notes' : `Reads the note ${JSON.stringify(input.name)}`,
    async run(input, { threadId }) {
      const notes = await readNotes(pool, threadId);
      if (input.name === undefined) return { notes: notes.length, text: inWords(notes) };
      const note = notes.find((each) => each.name === input.name);
      if (note) return { name: note.name, text: note.text };
      const names = notes.map((each) => each.name);
      const alike = await mostAlike(input.name, names, 3, threadId);
      const known = alike.length > 0 ? alike : notes.slice(0, 10).map((each) => each.name);
      const hint = known.length === 0 ? 'there are no notes yet' : `the notes are: ${known.join(', ')}`;
      throw new ToolFailure(`there is no note ${JSON.stringify(input.name)}; ${hint}`);
    },
  };
}

interface Note {
  readonly name: string;
  readonly text: string;
}

async function readNotes(client: Queryable, threadId: string): Promise<readonly Note[]> {
  const { rows } = await client.query<Note>({
    name: 'read_notes',
    text: 'select name, text from notes where thread_id = $1 order by name',
    values: [threadId],
  });
  return rows;
}

function inWords(notes: readonly Note[]): string {
  let left = RECALLED_BYTES;
  const parts = notes.map((note) => {
    left -= Buffer.byteLength(note.text);
    return left >= 0
      ? `${note.name}: ${note.text}`
      : `${note.name}: [${bytes(Buffer.byteLength(note.text))}; recall it by its name]`;
  });
  return [counted(notes.length, 'note'), ...parts].join('\n');
}
