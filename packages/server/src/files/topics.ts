// The topics that the files publish on the bus.

import { defineTopic, oneField } from '../bus/bus.ts';

/** A workspace has new rows in its change feed, a new name, or another change that people see next to its files. */
export const FILES_CHANGED = defineTopic('files.changed', oneField('workspaceId'));
