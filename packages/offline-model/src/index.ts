// The offline models, which answer when no language model is connected. They are deterministic, keep no state between calls
// (a takeover continues from the history alone), and never pretend to be a language model:
//   offline/demo     plain words at a human pace
//   offline/instant  the same without delays, for tests
//   offline/script   says and calls what the last user message, a JSON script, specifies

import { answer } from './answer.ts';
import type { ModelRequest } from './request.ts';
import { scriptedStep } from './script.ts';
import { type OfflineOptions, type Step, play } from './step.ts';

export type { HistoryMessage, ModelRequest, ToolSchema } from './request.ts';
export type { OfflineWorld } from './step.ts';

export type OfflineModel = NonNullable<ReturnType<typeof createOfflineModel>>;

const HUMAN = { first: 250, between: 25 };
const SLOW = { first: 250, between: 250 };

const STEPS: Readonly<Record<string, (request: ModelRequest) => Step>> = {
  'offline/demo': (request) => {
    const asked = request.history.findLast((message) => message.role === 'user');
    return {
      ...answer(request, 'offline/demo'),
      pace: /\bslowly\b/i.test(asked?.content ?? '') ? SLOW : HUMAN,
    };
  },
  'offline/instant': (request) => answer(request, 'offline/instant'),
  'offline/script': (request) => scriptedStep(request.history),
};

export const OFFLINE_MODELS: readonly string[] = Object.keys(STEPS);

/** The offline model with this id; null if there is none. */
export function createOfflineModel(options: OfflineOptions) {
  const { id } = options;
  const stepFor = Object.hasOwn(STEPS, id) ? STEPS[id] : undefined;
  return stepFor ? { id, stream: (request: ModelRequest) => play(options, stepFor, request) } : null;
}
