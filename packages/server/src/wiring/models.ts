// The models: which one answers by default, and what is wrong with the settings that name one.

import { createModels, MODEL_KEYS, type Models } from '../models/catalog.ts';
import type { ServerOptions } from './options.ts';

const WORLD = { now: Date.now, sleep, random: Math.random };

/** Throws if the configured model cannot be used. */
export function wireModels(
  { config, env, log }: ServerOptions,
  onRetry: (model: string, code: string) => void,
): Models {
  const idleMs = config.modelIdleSeconds * 1000;
  const models = createModels(WORLD, { defaultModel: config.model, env, idleMs, onRetry });
  const resolved = models.resolve(models.default);
  if (!resolved.ok) throw new Error(`CONTINUO_MODEL: ${resolved.problem}`);
  for (const sentence of models.advice) log.warn(sentence);
  return models;
}

/** For the settings: says what is wrong with a model's name, before anything is started. */
export function problemWithModel(env: ServerOptions['env']): (model: string) => string | null {
  const models = createModels(WORLD, { env });
  return (model) => {
    const resolved = models.resolve(model);
    return resolved.ok ? null : resolved.problem;
  };
}

interface ModelInUse {
  readonly id: string;
  readonly problem: string | null;
  /** The variables that may hold a key. */
  readonly keys: readonly string[];
  readonly advice: readonly string[];
}

/** The model that answers when a message names none. */
export function modelInUse(env: ServerOptions['env'], configured: string | undefined): ModelInUse {
  const models = createModels(WORLD, { defaultModel: configured, env });
  const resolved = models.resolve(models.default);
  const problem = resolved.ok ? null : resolved.problem;
  return { id: models.default, problem, keys: MODEL_KEYS, advice: models.advice };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
