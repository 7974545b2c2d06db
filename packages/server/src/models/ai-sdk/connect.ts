// Creates a model from a provider and a key. Nothing is loaded before the first call.

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Model, ModelRequest } from '../model.ts';
import type { AiSdkWorld } from './call.ts';
import { type AiSdkLoaded, createAiSdkDriver } from './model.ts';
import { aiSdkStreamsOnly } from './not-a-stream.ts';
import type { AiSdkAccess, AiSdkProvider } from './providers.ts';
import { aiSdkRequest } from './request.ts';

interface AiSdkConnection {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: AiSdkProvider;
  readonly access: AiSdkAccess;
  readonly world: AiSdkWorld;
  readonly idleMs?: number | undefined;
  readonly onRetry: (code: string) => void;
}

export function createAiSdkModel({ id, provider, access, world, idleMs, onRetry }: AiSdkConnection): Model {
  const { dialect, keys } = provider;
  const name = id.slice(dialect.provider.length + 1);
  let loading: Promise<AiSdkLoaded> | null = null;
  const load = async (): Promise<AiSdkLoaded> => {
    const { aiSdkFetch } = await import('./fetch.ts');
    const fetch = aiSdkStreamsOnly(access.fetch ?? aiSdkFetch);
    const model = (await provider.load({ ...access, fetch }))(name);
    const urls = await model.supportedUrls;
    const options = (request: ModelRequest): LanguageModelV4CallOptions =>
      aiSdkRequest(request, { provider, model: name, urls });
    return { model, options };
  };
  return createAiSdkDriver({
    id,
    world,
    // A failed load is not cached, so the next call tries again.
    load: () => (loading ??= load().catch((error: unknown) => ((loading = null), Promise.reject(error)))),
    failures: {
      provider: dialect.provider,
      keyName: keys[0]!,
      secrets: access.apiKey === undefined ? [] : [access.apiKey],
    },
    idleMs,
    onRetry,
  });
}
