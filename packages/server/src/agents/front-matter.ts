// Reads the YAML front matter of a file: a role, a skill, a team, or a piece of content. An error names its line and column in the
// file, and what is allowed.

import type { z } from 'zod';
import { TooMuchWork, workers } from '../compute/pool.ts';
import { didYouMean } from '../names/did-you-mean.ts';

/** The most characters of a front matter. */
const FRONT_MATTER_CHARACTERS = 64 * 1024;

interface Mistake {
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
  readonly sentence: string;
}

export type Failed = { readonly ok: false; readonly mistake: Mistake };

interface Wanted<T> {
  readonly schema: z.ZodType<T>;
  /** The keys that are allowed in the map at a path. */
  readonly allowedIn: (path: readonly PropertyKey[]) => readonly string[];
  /** What the schema cannot check: the path of a wrong value, and what is wrong with it. */
  readonly check?: (given: T) => { readonly path: readonly PropertyKey[]; readonly sentence: string } | null;
  /** Whose turn it is when worker threads are busy: the id of a file or of a workspace. */
  readonly key: string;
}

/** The front matter as the schema wants it, and the text after it. A file may have no front matter. */
export async function readFrontMatter<T>(
  text: string,
  wanted: Wanted<T>,
): Promise<{ readonly ok: true; readonly given: T; readonly body: string } | Failed> {
  const parts = split(text);
  if (parts === null)
    return mistake(
      1,
      1,
      'the front matter that begins here is not closed; end it with a line of three dashes, ---',
    );
  const { length } = parts.yaml;
  if (length > FRONT_MATTER_CHARACTERS)
    return mistake(
      1,
      1,
      `the front matter has ${length} characters; it may have at most ${FRONT_MATTER_CHARACTERS}`,
    );
  try {
    const read = await readYaml(parts.yaml, wanted);
    return read.ok ? { ...read, body: parts.body } : read;
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return mistake(1, 1, `reading the front matter ${error.message}; write it in fewer lines and brackets`);
  }
}

const FENCE = /^---[ \t]*$/;

/** Null if the front matter does not end. */
function split(text: string): { yaml: string; body: string } | null {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0]!)) return { yaml: '', body: lines.join('\n') };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return null;
  return { yaml: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

async function readYaml<T>(
  yaml: string,
  { schema, allowedIn, check, key }: Wanted<T>,
): Promise<{ readonly ok: true; readonly given: T } | Failed> {
  const read = await workers.run('readYaml', { yaml }, { key });
  // The front matter begins on the file's second line.
  if (!read.ok) return { ok: false, mistake: { ...read.mistake, line: read.mistake.line + 1 } };
  const at = async (path: readonly PropertyKey[], sentence: string, isKey = false) => {
    const { line, column } = await workers.run('placeInYaml', { yaml, path, key: isKey }, { key });
    return mistake(line + 1, column, sentence);
  };
  const checked = schema.safeParse(read.value);
  if (checked.success) {
    const found = check?.(checked.data);
    return found
      ? at(found.path, `${pathOf(found.path)}: ${found.sentence}`)
      : { ok: true, given: checked.data };
  }
  const issue = checked.error.issues[0]!;
  if (issue.code !== 'unrecognized_keys') return at(issue.path, `${pathOf(issue.path)}: ${issue.message}`);
  const path = [...issue.path, issue.keys[0]!];
  const sentence = `${pathOf(path)} is not a known key${didYouMean(issue.keys[0]!, allowedIn(issue.path))}`;
  return at(path, sentence, true);
}

/** `permissions[0].tool` */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

export function mistake(line: number, column: number, sentence: string): Failed {
  return { ok: false, mistake: { line, column, sentence } };
}
