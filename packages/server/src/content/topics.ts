// The topics that content publishes on the bus.

import { defineTopic, noFields, oneField, type Bus } from '../bus/bus.ts';
import { FILES_CHANGED } from '../files/topics.ts';

/** The time of a publication was set or canceled: pods look when they are needed next. */
export const CONTENT_SCHEDULED = defineTopic('content.scheduled', noFields);
/** Something was published or taken off: messages to webhooks may wait. */
export const CONTENT_PUBLISHED = defineTopic('content.published', oneField('workspaceId'));

/** After the commit that published something or took it off. */
export function announcePublication(bus: Bus, workspaceId: string): void {
  void bus.publish(FILES_CHANGED, { workspaceId });
  void bus.publish(CONTENT_PUBLISHED, { workspaceId });
}
