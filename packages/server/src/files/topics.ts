// What files announce on the bus.

import { defineTopic, oneField } from '../bus/bus.ts';

/** A workspace has new rows in its change feed, or another name, or something else that people see beside its files. */
export const FILES_CHANGED = defineTopic('files.changed', oneField('workspaceId'));
