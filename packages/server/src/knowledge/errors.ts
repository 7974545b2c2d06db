// Why knowledge could not be changed. Routes turn these into problems, tools into results that a model can act on.

import type { Entity } from './kind.ts';

/** There is no such entity, project or edge in the workspace, or it was removed. */
export class NotFound extends Error {
  readonly code = 'not_found';
  readonly what: string;
  readonly id: string;

  constructor(what: string, id: string, hint = '') {
    super(`there is no ${what} with the id ${id}${hint}`);
    this.what = what;
    this.id = id;
  }
}

/** The entity is at another version than the one that the writer started from. */
export class VersionConflict extends Error {
  readonly code = 'version_conflict';
  readonly entity: Entity;

  constructor(entity: Entity) {
    super(`the ${entity.kind} is at version ${entity.version} now`);
    this.entity = entity;
  }
}

/** The change makes no sense; the message says why, and what is possible. */
export class Refused extends Error {
  readonly code = 'refused';
}
