// The offline models, which answer when no language model is connected. They are deterministic, keep no state between calls
// (a takeover continues from the history alone), and never pretend to be a language model:
//   offline/demo     plain words at a human pace
//   offline/instant  the same without delays, for tests
//   offline/script   says and calls what the last user message, a JSON script, specifies

import type { StreamEvent } from '@continuo/engine';
import { answer } from './answer.ts';
import type { ModelRequest } from './request.ts';
import { scriptedStep } from './script.ts';
import { type OfflineWorld, type Pace, type Step, play } from './step.ts';

export interface OfflineModel {
  readonly id: string;
  /** One model call. Failures arrive as `stream_error` events; an abort ends the stream. */
  stream(request: ModelRequest): AsyncIterable<StreamEvent>;
}

interface OfflineOptions {
  readonly id: string;
  /** The clock. */
  readonly world: OfflineWorld;
  /** The most calls in one message; further calls of a script are dropped. */
  readonly mostCalls: number;
}

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

/** The offline model with this id; null if there is none. */
export function createOfflineModel({ id, world, mostCalls }: OfflineOptions): OfflineModel | null {
  const stepFor = Object.hasOwn(STEPS, id) ? STEPS[id] : undefined;
  if (!stepFor) return null;
  const step = (request: ModelRequest): Step => {
    const whole = stepFor(request);
    return whole.calls ? { ...whole, calls: whole.calls.slice(0, mostCalls) } : whole;
  };
  return { id, stream: (request) => play({ id, request, world, stepFor: step }) };
}
