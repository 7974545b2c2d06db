// The load client: asks, follows, cancels, and says when what came. Not counted.

import { arrive } from '../load/arrivals.ts';
import { cancel } from '../load/cancels.ts';
import { drive, prepare } from '../load/drive.ts';
import { ended, follow, leave, received } from '../load/followers.ts';
import { readMany } from '../load/reads.ts';
import { watch, watched } from '../load/watch.ts';
import { answer } from './answer.ts';

answer(null, { prepare, drive, follow, ended, received, leave, cancel, arrive, readMany, watch, watched });
