// Which models there are, and which one answers when nobody chose.

import type { Model } from './model.ts';
import { OFFLINE_MODELS, type OfflineWorld, createOfflineModel } from './offline.ts';

type Resolved =
  | { readonly ok: true; readonly model: Model }
  | { readonly ok: false; readonly problem: string };

export interface Models {
  /** The id of the model that answers when a request names none. */
  readonly default: string;
  /** The model with this id (`provider/model`), or a sentence that says what is wrong with it. */
  resolve(id: string): Resolved;
}

/** A wrong `defaultModel` is kept as it is: `resolve(models.default)` says what is wrong. */
export function createModels(world: OfflineWorld, options: { readonly defaultModel?: string } = {}): Models {
  const offline = new Map<string, Model>();
  for (const id of OFFLINE_MODELS) {
    const model = createOfflineModel(id, world);
    if (model) offline.set(id, model);
  }
  return {
    default: options.defaultModel ?? 'offline/demo',
    resolve(id) {
      const model = offline.get(id);
      return model ? { ok: true, model } : { ok: false, problem: problemWith(id, [...offline.keys()]) };
    },
  };
}

function problemWith(id: string, available: readonly string[]): string {
  const there = `available: ${available.join(', ')}`;
  const slash = id.indexOf('/');
  if (slash < 1 || slash === id.length - 1) return `model "${id}" is not written as provider/model; ${there}`;
  const provider = id.slice(0, slash);
  if (provider !== 'offline') return `provider "${provider}" is not known; ${there}`;
  return `provider "offline" has no model "${id.slice(slash + 1)}"; ${there}`;
}
