// The models named `executor/<name>`: each stands for a program outside the server that writes the answers of runs. It cannot be
// asked anything else, such as a title.

import type { Model } from './model.ts';

export const EXECUTOR_PREFIX = 'executor/';
export const EXECUTOR_NAME = /^[a-z\d][a-z\d._-]{0,63}$/;
export const EXECUTOR_NAME_RULE =
  'a name of at most 64 lower-case letters, digits, dots, hyphens and underscores that begins with a letter or digit';

/** Null if the name cannot be an executor's. */
export function executorModel(id: string): Model | null {
  if (!EXECUTOR_NAME.test(id.slice(EXECUTOR_PREFIX.length))) return null;
  return {
    id,
    async *stream() {
      yield {
        type: 'stream_error',
        at: 0,
        code: 'executor_only_answers',
        message: `${id} writes the answers of runs and nothing else`,
      };
    },
  };
}

/** Whether a model can write titles and summaries. The offline models and executors cannot. */
export function writesTexts(id: string): boolean {
  return !id.startsWith('offline/') && !id.startsWith(EXECUTOR_PREFIX);
}
