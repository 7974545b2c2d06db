// What every body is made of.

import { z } from 'zod';

export const id = z.uuid();
export const time = z.iso.datetime({ offset: true });
