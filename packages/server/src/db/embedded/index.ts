export { EmbeddedDatabaseError } from './errors.ts';
export { openEmbedded } from './open.ts';
export type { EmbeddedDatabase } from './open.ts';
export { findBinaries } from './package.ts';
