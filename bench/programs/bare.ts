// What people write by hand: the AI SDK's own recipe for a chat endpoint, in Hono. Nothing is kept. Counted.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { serve } from '@hono/node-server';
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { Hono } from 'hono';
import { answer } from './answer.ts';

const provider = createOpenAICompatible({
  name: 'compatible',
  baseURL: process.env.OPENAI_BASE_URL!,
  apiKey: 'x',
});
const app = new Hono();

app.post('/api/chat', async (c) => {
  const { messages, model } = await c.req.json<{ messages: UIMessage[]; model: string }>();
  const result = streamText({ model: provider(model), messages: await convertToModelMessages(messages) });
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.stream }) });
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  answer({ url: `http://127.0.0.1:${port}` }, {}),
);
