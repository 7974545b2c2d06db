// restore: makes an earlier version's content the newest. A removed file is restored under its own id.

import { z } from 'zod';
import { findFile, findRemoved, type FileHead } from '../files.ts';
import { readVersion, type FileVersion } from '../versions.ts';
import { applyChanges, placeOf, type Planned } from './changes.ts';
import { requireFile, fileAt, displayPath, type ToolWorld } from './shared.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';
import { lastDifferent } from './versions.ts';

const input = z.strictObject({
  path: z.string().describe('Path of the file'),
  version: z
    .int()
    .min(1)
    .optional()
    .describe(
      'The version to restore; default: the one before the last change or, for a removed file, its last content',
    ),
});
type Input = z.infer<typeof input>;

interface Prepared {
  readonly planned: readonly Planned[];
  readonly version: number;
}

export function restoreTool(world: ToolWorld): Tool<Input, Prepared> {
  const { pool } = world;
  return {
    name: 'restore',
    description: 'Restores an earlier version of a file: undoes its last change or its removal.',
    effect: 'transactional',
    input,
    words: ({ path, version }) =>
      `Restores ${displayPath(path)}${version === undefined ? '' : ` to version ${version}`}`,
    paths: ({ path }) => [path],
    async prepare({ path: given, version: asked }, context) {
      const path = fileAt(given);
      const live = await findFile(pool, context.workspaceId, path);
      const file = live ?? (await findRemoved(pool, context.workspaceId, path));
      if (!file) return requireFile(world, context.workspaceId, path) as never;
      const version = asked === undefined ? await before(file) : await readVersion(pool, file.id, asked);
      if (!version)
        throw new ToolFailure(
          asked === undefined
            ? `the content of ${file.path} has never changed; there is nothing to undo`
            : `${file.path} has no version ${asked}; it has versions 1 to ${file.version}`,
        );
      if (live && version.hash.equals(live.hash))
        throw new ToolFailure(`${file.path} already has the content of version ${version.version}`);
      const place = { path: placeOf(file), base: file.version, content: version };
      const restored: Planned = live
        ? { kind: 'restore', ...place }
        : { kind: 'restore', ...place, removedFile: file.id };
      return { planned: [restored], version: version.version };
    },
    async run(_, context) {
      const [change] = await applyChanges(world, context, context.prepared.planned);
      const { file } = change!;
      return {
        path: file.path,
        file: file.id,
        version: file.version,
        text: `${file.path} restored to the content of version ${context.prepared.version}: version ${file.version}`,
      };
    },
  };

  function before(file: FileHead): Promise<FileVersion | null> {
    return file.removedAt ? readVersion(pool, file.id, file.version) : lastDifferent(pool, file);
  }
}
