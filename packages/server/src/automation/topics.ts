// What automation announces on the bus: what screens must read again, and what pods must look at.

import { defineTopic, oneField } from '../bus/bus.ts';

/** The workspace's schedules, webhooks or triggers changed, or one of them was used. */
export const AUTOMATION_CHANGED = defineTopic('automation.changed', oneField('workspaceId'));
/** Messages to the workspace's webhooks were delivered, or failed. No pod has anything to do. */
export const MESSAGES_DELIVERED = defineTopic('automation.delivered', oneField('workspaceId'));
