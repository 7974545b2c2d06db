// The small schemas that several bodies share.

import { z } from 'zod';

export const id = z.uuid();
export const time = z.iso.datetime({ offset: true });

/** An operation of a JSON Patch (RFC 6902). */
export const patchOperation = z
  .object({
    op: z.enum(['add', 'remove', 'replace', 'move']),
    path: z.string(),
    from: z.string().optional(),
    value: z.unknown().optional(),
  })
  .meta({ id: 'PatchOperation', description: 'An operation of a JSON Patch (RFC 6902).' });
