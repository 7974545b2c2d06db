// The providers: where to find their keys and addresses, how to load their packages, and what each needs in a request. A package
// is loaded by the first call that needs it.

import type { JSONObject, LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelRequest } from '../model.ts';
import type { AiSdkDialect } from './history.ts';

export interface AiSdkAccess {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  /** Replaces our own `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface AiSdkProvider {
  readonly dialect: Omit<AiSdkDialect, 'files'> & { readonly bytes: RegExp };
  /** Environment variables that may hold the key, the most common one first. */
  readonly keys: readonly string[];
  readonly baseUrlName?: string;
  /** What the user must configure. */
  readonly needs: 'key' | 'base url';
  /** The default model if this is the first provider with a key. */
  readonly defaultModel?: string;
  load(access: AiSdkAccess & { readonly fetch: typeof fetch }): Promise<(model: string) => LanguageModelV4>;
  /** Whether a model may reason only if every answer since the user's last message did. */
  readonly thinksThroughout?: boolean;
  /** Provider options for every call. */
  options(model: string, reasoning: ModelRequest['reasoning']): JSONObject;
}

const IMAGES_AND_PDF = /^image\/|^application\/pdf$/;
const WEB = /^https?:\/\//;

const openai: AiSdkProvider = {
  dialect: {
    provider: 'openai',
    metadataKey: 'openai',
    bytes: IMAGES_AND_PDF,
    // A reasoning item is complete only with its encrypted content, which comes with its last part.
    givesBack: ({ metadata, siblings }) =>
      siblings.some((each) => each.itemId === metadata.itemId && each.reasoningEncryptedContent != null),
  },
  keys: ['OPENAI_API_KEY'],
  baseUrlName: 'OPENAI_BASE_URL',
  needs: 'key',
  defaultModel: 'gpt-5.4',
  load: async ({ apiKey = '', baseUrl = 'https://api.openai.com/v1', fetch }) => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const provider = createOpenAI({ apiKey, baseURL: baseUrl.replace(/\/+$/, ''), fetch });
    return (model) => provider.responses(model);
  },
  // The log is the only memory: OpenAI stores nothing, and returns reasoning encrypted.
  options: (_model, reasoning) => ({
    store: false,
    ...(reasoning && reasoning !== 'none' && { reasoningSummary: 'auto' }),
  }),
};

const anthropic: AiSdkProvider = {
  dialect: {
    provider: 'anthropic',
    metadataKey: 'anthropic',
    bytes: IMAGES_AND_PDF,
    givesBack: ({ metadata }) => metadata.signature != null || metadata.redactedData != null,
  },
  thinksThroughout: true,
  keys: ['ANTHROPIC_API_KEY'],
  baseUrlName: 'ANTHROPIC_BASE_URL',
  needs: 'key',
  defaultModel: 'claude-sonnet-5',
  load: async ({ apiKey = '', baseUrl = 'https://api.anthropic.com', fetch }) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const provider = createAnthropic({ apiKey, baseURL: withVersion(baseUrl, 'v1'), fetch });
    return (model) => provider(model);
  },
  // Each step sends the whole history again; without the cache, all of it would be charged at the full price.
  options: () => ({ cacheControl: { type: 'ephemeral' } }),
};

const google: AiSdkProvider = {
  dialect: {
    provider: 'google',
    metadataKey: 'google',
    bytes: /^(image|audio|video)\/|^application\/pdf$/,
    givesBack: () => true,
  },
  keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  baseUrlName: 'GOOGLE_GEMINI_BASE_URL',
  needs: 'key',
  defaultModel: 'gemini-3.8-flash',
  load: async ({ apiKey = '', baseUrl = 'https://generativelanguage.googleapis.com', fetch }) => {
    const { createGoogle } = await import('@ai-sdk/google');
    const provider = createGoogle({ apiKey, baseURL: withVersion(baseUrl, 'v1beta'), fetch });
    return (model) => provider(model);
  },
  // These models reason anyway; this makes them return a summary of it.
  options: (model, reasoning) =>
    reasoning !== 'none' && /^gemini-(2\.5|[3-9])(?!.*(image|tts|live|audio))/.test(model)
      ? { thinkingConfig: { includeThoughts: true } }
      : {},
};

const compatible: AiSdkProvider = {
  dialect: {
    provider: 'compatible',
    metadataKey: 'compatible',
    // Few of these servers accept anything else, and most refuse the whole request.
    bytes: /^image\//,
    // Open models need their reasoning back during tool use, and refuse the reasoning of earlier turns.
    givesBack: ({ current }) => current,
  },
  keys: ['OPENAI_API_KEY'],
  baseUrlName: 'OPENAI_BASE_URL',
  needs: 'base url',
  load: async ({ apiKey, baseUrl = '', fetch }) => {
    const { AiSdkChatModel } = await import('./chat.ts');
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const base = baseUrl.replace(/\/+$/, '');
    return (model) =>
      new AiSdkChatModel(model, {
        provider: 'compatible.chat',
        url: ({ path }) => base + path,
        headers: () => headers,
        fetch,
        supportedUrls: () => ({ 'image/*': [WEB] }),
      });
  },
  options: () => ({}),
};

/** Sorted by priority for the default model. */
export const AI_SDK_PROVIDERS: ReadonlyMap<string, AiSdkProvider> = new Map(
  [openai, anthropic, google, compatible].map((provider) => [provider.dialect.provider, provider]),
);

/** Providers' own SDKs expect the address without a version, the AI SDK expects it with one. */
function withVersion(baseUrl: string, version: string): string {
  const clean = baseUrl.replace(/\/+$/, '');
  return /\/v\d\w*$/.test(clean) ? clean : `${clean}/${version}`;
}
