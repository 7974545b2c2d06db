#!/usr/bin/env node
// The entry point of the command. It imports nothing and uses no new syntax, so that an old Node prints the message
// below instead of a syntax error.

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `continuo needs Node 22.18 or newer; this is ${process.version}. Get one at https://nodejs.org.`,
  );
  // The exit code for an old Node in docs/cli.md.
  process.exit(7);
}

void import('./main.mjs');
