// The topics that content publishes on the bus.

import { defineTopic, noFields } from '../bus/bus.ts';

/** The time of a publication was set or canceled: pods look when they are needed next. */
export const CONTENT_SCHEDULED = defineTopic('content.scheduled', noFields);
