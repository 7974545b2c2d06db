// npm runs this before and after it packs a library (@continuo/engine, @continuo/protocol, @continuo/client), in that
// package's folder.
//
// In the clone the libraries run from their sources: `exports` names files in src/, and nothing has to be built first. A
// packed library holds JavaScript and types in dist/, and its `exports` names those.
//
//   prepack   builds dist/, copies the license, and makes `exports` name dist/
//   postpack  makes `exports` name src/ again

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifestFile = 'package.json';
const SOURCE = /^\.\/src\/(.+)\.ts$/;
const BUILT = /^\.\/dist\/(.+)\.js$/;

switch (process.argv[2]) {
  case 'prepack':
    build();
    changeExports((entry) => {
      const [, name] = SOURCE.exec(entry) ?? BUILT.exec(entry.default);
      return { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
    });
    break;
  case 'postpack':
    changeExports((entry) => `./src/${BUILT.exec(entry.default)[1]}.ts`);
    break;
  default:
    throw new Error(`"${process.argv[2] ?? ''}" is not a stage of packing: prepack, postpack.`);
}

function build() {
  rmSync('dist', { recursive: true, force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/typescript/bin/tsc'),
      '--project',
      '.',
      '--noEmit',
      'false',
      '--incremental',
      'false',
      '--declaration',
      '--rewriteRelativeImportExtensions',
      '--rootDir',
      'src',
      '--outDir',
      'dist',
    ],
    // npm's own stdout may be JSON.
    { stdio: ['ignore', 2, 2] },
  );
  if (status !== 0) throw new Error(`${process.cwd()} could not be built.`);
  // The compiler rewrites `./file.ts` in JavaScript alone.
  for (const name of readdirSync('dist', { recursive: true }).filter((each) => each.endsWith('.d.ts'))) {
    const file = join('dist', name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/(["'])(\.\.?\/[^"']+)\.tsx?\1/g, '$1$2.js$1'));
  }
  cpSync(join(root, 'LICENSE'), 'LICENSE');
}

function changeExports(change) {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  for (const [name, entry] of Object.entries(manifest.exports)) manifest.exports[name] = change(entry);
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
}
