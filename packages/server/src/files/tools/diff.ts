// diff: shows what changed in a text between two versions.

import { z } from 'zod';
import { asText, readWhole } from '../content.ts';
import type { FileHead } from '../files.ts';
import { DIFF_BYTES, readVersion, type FileVersion } from '../versions.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { heavyWork } from './heavy.ts';
import { bytes } from './format.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';
import { lastDifferent } from './versions.ts';

/** Maximum length of the result, in characters. */
const RESULT_CHARACTERS = 64 * 1024;

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  from: z.int().min(1).optional().describe('The older version; default: the one before the last change'),
  to: z.int().min(1).optional().describe('The newer version; default: the newest'),
});
type Input = z.infer<typeof input>;

export function diffTool(world: ToolWorld): Tool<Input> {
  const { pool } = world;
  return {
    name: 'diff',
    description: 'Shows what changed in a text file between two of its versions, as a unified diff.',
    effect: 'pure',
    input,
    words: ({ path, from, to }) =>
      `Compares versions of ${displayPath(path)}${from === undefined && to === undefined ? '' : ` (${from ?? 'before'} and ${to ?? 'now'})`}`,
    paths: ({ path }) => [path],
    async run({ path: given, from, to }, context) {
      const file = await requireFile(world, context.workspaceId, fileAt(given));
      const newer = await versionOf(file, to ?? file.version);
      const older = from === undefined ? await lastDifferent(pool, file, newer) : await versionOf(file, from);
      context.used(file.id);
      const about = { path: file.path, file: file.id, to: newer.version };
      if (!older)
        return {
          ...about,
          text: `${file.path} did not change before version ${newer.version}, so there is nothing to compare`,
        };
      const sides = { from: await sideOf(file, older), to: await sideOf(file, newer) };
      const { diff } = await heavyWork('difference', sides, context, {
        what: `comparing versions ${older.version} and ${newer.version} of ${file.path}`,
        instead: 'read both in parts',
      });
      return { ...about, from: older.version, text: cut(diff) };
    },
  };

  async function versionOf(file: FileHead, number: number): Promise<FileVersion> {
    const version = await readVersion(pool, file.id, number);
    if (version) return version;
    throw new ToolFailure(`${file.path} has no version ${number}; it has versions 1 to ${file.version}`);
  }

  async function sideOf(file: FileHead, version: FileVersion) {
    return { name: file.path, note: `version ${version.version}`, text: await textOf(file, version) };
  }

  async function textOf(file: FileHead, version: FileVersion): Promise<string> {
    if (!version.isText) throw new ToolFailure(`version ${version.version} of ${file.path} is not text`);
    if (version.size > DIFF_BYTES)
      throw new ToolFailure(
        `version ${version.version} of ${file.path} has ${bytes(version.size)}; only texts of up to ${bytes(DIFF_BYTES)} can be compared`,
      );
    return asText(await readWhole(pool, version.chunks))!;
  }
}

function cut(patch: string): string {
  if (patch.length <= RESULT_CHARACTERS) return patch.trimEnd();
  const end = patch.lastIndexOf('\n', RESULT_CHARACTERS);
  const left = patch.slice(end + 1).split('\n').length - 1;
  return `${patch.slice(0, end)}\n[${left} more lines are not shown; read the versions in parts]`;
}
