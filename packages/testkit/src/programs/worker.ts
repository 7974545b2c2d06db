// An executor in a process of its own, of the worker library alone.

import { play, work } from '../script-executor.ts';

await work(play);
