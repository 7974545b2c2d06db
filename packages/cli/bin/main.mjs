// Starts the command on a Node that is new enough.

import { existsSync } from 'node:fs';
import * as modules from 'node:module';

// Node warns that node:sqlite is experimental. People at a terminal cannot do anything about that.
const emitWarning = process.emitWarning.bind(process);
process.emitWarning = (warning, ...rest) => {
  if (rest[0] !== 'ExperimentalWarning' && rest[0]?.type !== 'ExperimentalWarning')
    emitWarning(warning, ...rest);
};

// From the second start on, nothing is compiled again.
modules.enableCompileCache();

// In the clone the sources run as they are; the package has them compiled.
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/cli/src/main.js');
