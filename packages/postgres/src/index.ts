// The embedded Postgres of a home folder: opened by any number of processes, stopped when the last of them is gone.

export { EmbeddedDatabaseError } from './errors.ts';
export { makePrivateHome } from './home.ts';
export { openEmbedded, type EmbeddedDatabase } from './open.ts';
export { findBinaries } from './package.ts';
