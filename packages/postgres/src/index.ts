// The embedded Postgres of a home folder. Any number of processes can open it; it stops after the last of them is gone.

export { EmbeddedDatabaseError } from './errors.ts';
export { makePrivateHome } from './home.ts';
export { openEmbedded, type EmbeddedDatabase } from './open.ts';
export { findBinaries } from './package.ts';
