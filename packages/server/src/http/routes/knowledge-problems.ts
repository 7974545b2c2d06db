// Errors of knowledge as problems.

import { sqlState } from '../../db/pool.ts';
import { NotFound, Refused, VersionConflict } from '../../knowledge/errors.ts';
import type { HttpContext } from '../app.ts';
import { Problem } from '../kernel/problem.ts';
import { refusedWrite } from './file-responses.ts';

/** Turns an error of the services into a problem; returns any other error unchanged. */
export function toProblem(
  error: unknown,
  { config }: Pick<HttpContext, 'config'> | { readonly config?: undefined } = {},
): unknown {
  if (error instanceof NotFound || (!(error instanceof Error) && isMissing(error))) {
    const { what, id } = error as { what: string; id: string };
    return new Problem({
      status: 404,
      code: `${what}_not_found`,
      detail:
        error instanceof NotFound
          ? `${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`
          : `There is no ${what} with the id ${id} in this workspace.`,
    });
  }
  if (error instanceof VersionConflict) {
    const { entity } = error;
    return new Problem({
      status: 412,
      code: 'version_conflict',
      detail:
        `The ${entity.kind} is at version ${entity.version}, which is newer than the one that your change is based on; \`current\` is the newest entity. ` +
        `Apply your change to it and send it with If-Match: "${entity.version}".`,
      extra: { current: entity },
      headers: { etag: `"${entity.version}"` },
    });
  }
  if (error instanceof Refused)
    return new Problem({
      status: 422,
      code: 'not_allowed',
      detail: `${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`,
    });
  if (sqlState(error) === 'CN412')
    return new Problem({
      status: 409,
      code: 'busy',
      detail: 'The entity keeps changing; send the request again in a moment.',
    });
  return refusedWrite(error, config?.workspaceBytes ?? 0);
}

function isMissing(value: unknown): value is { what: string; id: string } {
  return typeof value === 'object' && value !== null && 'what' in value && 'id' in value;
}
