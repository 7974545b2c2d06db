// The offline models: what answers when no language model is connected. They are
// deterministic, keep no state between calls (a takeover goes on from the history alone),
// and never pretend to be a language model.
//
//   offline/demo     plain words at a human pace
//   offline/instant  the same without delays, for tests
//   offline/script   says and calls what the last user message, as JSON, tells it to

import type { Model, ModelRequest } from './model.ts';
import { answer } from './offline/answer.ts';
import { type OfflineWorld, type Pace, type Step, play } from './offline/step.ts';
import { scriptedStep } from './offline/script.ts';

export type { OfflineWorld };

const HUMAN: Pace = { first: 250, between: (index, text) => 18 + ((index * 7 + text.length) % 15) };
const SLOW: Pace = { first: 250, between: () => 250 };
const AT_ONCE: Pace = { first: 0, between: () => 0 };

const STEPS: Readonly<Record<string, (request: ModelRequest) => Step>> = {
  'offline/demo': (request) => {
    const step = answer(request, 'offline/demo');
    return { ...step, pace: step.slowly ? SLOW : HUMAN };
  },
  'offline/instant': (request) => ({ ...answer(request, 'offline/instant'), pace: AT_ONCE }),
  'offline/script': (request) => scriptedStep(request.history),
};

export const OFFLINE_MODELS: readonly string[] = Object.keys(STEPS);

/** The offline model with this id, or null where there is none. Time comes from `world`. */
export function createOfflineModel(id: string, world: OfflineWorld): Model | null {
  const stepFor = Object.hasOwn(STEPS, id) ? STEPS[id] : undefined;
  if (!stepFor) return null;
  return { id, stream: (request) => play({ id, request, world, stepFor }) };
}
