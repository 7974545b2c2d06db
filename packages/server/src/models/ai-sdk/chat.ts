// A faster reader for chat completions. The AI SDK's model makes the request. Its own reader (four byte and object streams, and a
// schema check per token) takes most of the CPU time of a call, so this file reads the answer instead, into the same parts.

import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { AiSdkChatParts } from './chat-parts.ts';
import { aiSdkDrainResponse } from './drain-response.ts';
import { AiSdkEvents } from './sse.ts';

export class AiSdkChatModel extends OpenAICompatibleChatLanguageModel {
  override async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { body } = await this.prepareRequest(options);
    const { headers: given, fetch: send = fetch } = this.config;
    const headers = await (typeof given === 'function' ? given() : given);
    const url = this.config.url({ path: '/chat/completions', modelId: this.modelId });
    const response = await reach(url, () =>
      send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
        body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
        signal: options.abortSignal ?? null,
      }),
    );
    if (!response.ok || !response.body) throw await refusal(response, url);
    return { stream: partsOf(response.body) };
  }
}

async function reach(url: string, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const cause = error.cause instanceof Error ? error.cause : error;
    throw new APICallError({ message: cause.message, url, requestBodyValues: {}, cause, isRetryable: true });
  }
}

async function refusal(response: Response, url: string): Promise<APICallError> {
  const responseBody = (await response.text()).slice(0, 10_000);
  return new APICallError({
    message: messageIn(responseBody) ?? response.statusText,
    url,
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  });
}

/** Finds the error message, which servers put in different places. */
function messageIn(body: string): string | undefined {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inside = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
    return [inside, message, detail].find((each) => typeof each === 'string');
  } catch {
    return undefined;
  }
}

function partsOf(bytes: ReadableStream<Uint8Array>): ReadableStream<LanguageModelV4StreamPart> {
  const reader = bytes.getReader();
  const events = new AiSdkEvents();
  const parts = new AiSdkChatParts();
  const ready: LanguageModelV4StreamPart[] = [];
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        while (ready.length === 0) {
          const { done, value } = await reader.read();
          for (const event of done ? events.end() : events.take(value)) parts.take(event, ready);
          if (!done && !parts.done) continue;
          parts.end(ready);
          for (const part of ready) controller.enqueue(part);
          controller.close();
          if (!done) void aiSdkDrainResponse(reader);
          return;
        }
        for (const part of ready) controller.enqueue(part);
        ready.length = 0;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
