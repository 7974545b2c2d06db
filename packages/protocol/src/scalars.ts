// The small schemas that several bodies share.

import { z } from 'zod';

export const id = z.uuid();
export const time = z.iso.datetime({ offset: true });
/** A name that people give. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\0]*$/, 'must not contain NUL (U+0000)');

/** An operation of a JSON Patch (RFC 6902). */
export const patchOperation = z
  .object({
    op: z.enum(['add', 'remove', 'replace', 'move']),
    path: z.string(),
    from: z.string().optional(),
    value: z.unknown().optional(),
  })
  .meta({ id: 'PatchOperation', description: 'An operation of a JSON Patch (RFC 6902).' });
