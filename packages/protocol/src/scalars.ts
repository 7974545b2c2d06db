// The scalar schemas that all bodies share.

import { z } from 'zod';

export const id = z.uuid();
export const time = z.iso.datetime({ offset: true });
