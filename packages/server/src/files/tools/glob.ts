// glob: finds files by name.

import { z } from 'zod';
import { listPaths } from '../files.ts';
import { folderAt, displayPath, type ToolWorld } from './shared.ts';
import { globProblem } from '../../compute/glob.ts';
import { heavyWork } from './heavy.ts';
import { counted } from './format.ts';
import { ToolFailure, type Tool } from '../../tools/tool.ts';

/**
 * Maximum number of paths in one result, of files that are considered, and of patterns that braces expand to; and the
 * number of paths that are matched at a time.
 */
const PATHS = 1000;
const FILES = 1_000_000;
const ALTERNATIVES = 64;
const PAGE = 20_000;

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(500)
    .describe(
      'A glob such as *.md, src/**/*.ts or /notes/*.{md,txt}; without a slash it matches names at any depth',
    ),
  path: z.string().default('/').describe('The folder to search; default: the root of the workspace'),
});
type Input = z.infer<typeof input>;

export function globTool({ pool }: ToolWorld): Tool<Input> {
  return {
    name: 'glob',
    description: 'Finds files of the workspace whose paths match a glob pattern.',
    effect: 'pure',
    input,
    words: ({ pattern, path }) => `Looks for files that match ${pattern} in ${displayPath(path)}`,
    paths: ({ path }) => [`${path}/`],
    async run({ pattern, path }, context) {
      const folder = folderAt(path);
      const patterns = patternsOf(pattern, folder.path);
      const paths = await listPaths(pool, context.workspaceId, folder, FILES);
      const found: string[] = [];
      for (let at = 0; at < paths.length; at += PAGE) {
        const page = { patterns, paths: paths.slice(at, at + PAGE).join('\n') };
        const matching = await heavyWork('matchPaths', page, context, {
          what: `matching ${pattern} against ${counted(paths.length, 'path')}`,
          instead: 'use a shorter pattern with fewer stars and braces, or give a folder as path',
        });
        if (matching !== '') found.push(...matching.split('\n'));
      }
      const more = found.length - PATHS;
      return {
        files: found.length,
        text: [
          `${counted(found.length, 'file')} match${found.length === 1 ? 'es' : ''} ${pattern}`,
          ...found.slice(0, PATHS),
          ...(more > 0 ? [`[${more} more are not shown; narrow the pattern or the path]`] : []),
        ].join('\n'),
      };
    },
  };
}

/** Patterns from the workspace's root, one for each alternative in braces. */
function patternsOf(pattern: string, folder: string): readonly string[] {
  const patterns = expanded(pattern).map((each) => {
    if (each.startsWith('/')) return each;
    const below = each.includes('/') ? each.replace(/^\.\//, '') : `**/${each}`;
    return `${folder === '/' ? '' : folder}/${below}`;
  });
  for (const each of patterns) {
    const problem = globProblem(each);
    if (problem !== null) throw new ToolFailure(`the pattern ${pattern} cannot be used: ${problem}`);
  }
  return patterns;
}

function expanded(pattern: string): readonly string[] {
  let patterns = [pattern];
  for (;;) {
    const open = patterns.find((each) => /\{[^{}]*\}/.test(each));
    if (open === undefined) return patterns;
    patterns = patterns.flatMap((each) => {
      const braces = /\{([^{}]*)\}/.exec(each);
      if (!braces) return [each];
      const [before, after] = [each.slice(0, braces.index), each.slice(braces.index + braces[0].length)];
      return braces[1]!.split(',').map((inside) => `${before}${inside}${after}`);
    });
    if (patterns.length > ALTERNATIVES)
      throw new ToolFailure(`the braces of the pattern expand to more than ${ALTERNATIVES} patterns`);
  }
}
