#!/usr/bin/env node
// The command's first file. It imports nothing and uses no new syntax, so that an old Node reaches the sentence below instead
// of failing on the first thing that it does not know.

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `continuo needs Node 22.18 or newer; this is ${process.version}. Get one at https://nodejs.org.`,
  );
  // "The Node is too old" in docs/cli.md.
  process.exit(7);
}

void import('./main.mjs');
