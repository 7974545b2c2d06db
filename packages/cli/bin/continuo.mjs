#!/usr/bin/env node
// The command. Plain JavaScript, so that an old Node can say what it lacks.

import { existsSync } from 'node:fs';
import * as modules from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `continuo needs Node 22.18 or newer; this is ${process.version}. Get one at https://nodejs.org.`,
  );
  process.exit(1);
}

// What Node still calls an experiment (node:sqlite) is our business, not that of whoever reads the terminal.
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
