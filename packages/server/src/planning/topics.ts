// The topics that plans publish on the bus.

import { defineTopic, oneField } from '../bus/bus.ts';

/** A plan has new statuses, another state, or a new approval. */
export const PLANS_CHANGED = defineTopic('plans.changed', oneField('planId'));
