// Builds the request of one model call.

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelRequest, ToolSchema } from '../model.ts';
import { aiSdkPrompt } from './history.ts';
import type { AiSdkProvider } from './providers.ts';

interface AiSdkTarget {
  readonly provider: AiSdkProvider;
  readonly model: string;
  /** URLs that the provider fetches by itself, by media type. */
  readonly urls: Readonly<Record<string, readonly RegExp[]>>;
}

export function aiSdkRequest(
  { system, history, tools, reasoning: wanted, maxOutputTokens }: ModelRequest,
  { provider, model, urls }: AiSdkTarget,
): LanguageModelV4CallOptions {
  const { bytes, ...rest } = provider.dialect;
  const prompt = aiSdkPrompt({
    system,
    history,
    dialect: { ...rest, files: { bytes, urls } },
  });
  const reasoning = provider.thinksThroughout && !thought(prompt) ? undefined : wanted;
  const options = provider.options(model, reasoning);
  return {
    prompt,
    ...toolsFor(tools, prompt),
    ...(reasoning && { reasoning }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    includeRawChunks: false,
    ...(Object.keys(options).length > 0 && { providerOptions: { [rest.metadataKey]: options } }),
  };
}

type Tools = Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>;

function toolsFor(tools: readonly ToolSchema[], prompt: LanguageModelV4Prompt): Tools {
  if (tools.length > 0) return { tools: tools.map(functionTool) };
  // A history with calls needs tools in the request, even if none may be called any more.
  const used = new Set(
    prompt.flatMap(({ role, content }) =>
      role === 'assistant'
        ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
        : [],
    ),
  );
  if (used.size === 0) return {};
  const description = 'No longer available.';
  const input = { type: 'object', properties: {} };
  return {
    tools: [...used].map((name) => functionTool({ name, description, input })),
    toolChoice: { type: 'none' },
  };
}

function functionTool({ name, description, input }: ToolSchema) {
  return { type: 'function' as const, name, description, inputSchema: input };
}

/** Whether each answer since the user's last message begins with reasoning. */
function thought(prompt: LanguageModelV4Prompt): boolean {
  // User text right after results is merged into their message and does not begin a turn.
  const lastUser = prompt.findLastIndex(
    ({ role }, index) => role === 'user' && prompt[index - 1]?.role !== 'tool',
  );
  return prompt
    .slice(lastUser + 1)
    .every(({ role, content }) => role !== 'assistant' || content[0]?.type === 'reasoning');
}
