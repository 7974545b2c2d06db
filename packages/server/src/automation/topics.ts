// What automation announces on the bus.

import { defineTopic, oneField } from '../bus/bus.ts';

/** The workspace's schedules, webhooks or triggers changed, or one of them was used. */
export const AUTOMATION_CHANGED = defineTopic('automation.changed', oneField('workspaceId'));
