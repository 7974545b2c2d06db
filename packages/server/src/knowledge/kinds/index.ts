// The built-in kinds of entities.

import type { Kind } from '../kind.ts';
import { document } from './document.ts';
import { goal } from './goal.ts';
import { milestone } from './milestone.ts';
import { plan } from './plan.ts';
import { project } from './project.ts';
import { requirement } from './requirement.ts';
import { risk } from './risk.ts';
import { task } from './task.ts';

export const KINDS: readonly Kind[] = [project, document, task, goal, plan, milestone, risk, requirement];
