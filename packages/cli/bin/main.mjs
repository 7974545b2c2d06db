// Starts the command on a supported Node.

import { existsSync } from 'node:fs';
import * as modules from 'node:module';

// Hide Node's warning that node:sqlite is experimental: people at a terminal cannot do anything about it.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning, ...rest) => {
  if (rest[0] !== 'ExperimentalWarning' && rest[0]?.type !== 'ExperimentalWarning')
    emitWarning(warning, ...rest);
};

// Caches compiled code for the next start.
modules.enableCompileCache();

// A clone runs the sources; the package has them compiled.
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/cli/src/main.js');
