import { setTimeout as wait } from 'node:timers/promises';
import type { StreamEvent } from '@continuo/engine';
import { type Models, createModels } from '../../src/models/catalog.ts';
import type { HistoryMessage, Model, ModelRequest, ToolSchema } from '../../src/models/model.ts';
import { ENV, type ProviderName, type ProviderServer } from './server.ts';

export const MODEL: Readonly<Record<ProviderName, string>> = {
  openai: 'openai/gpt-5.4',
  compatible: 'compatible/qwen3',
  anthropic: 'anthropic/claude-sonnet-4-5',
  google: 'google/gemini-2.5-flash',
};

interface TestModels {
  readonly models: Models;
  /** How long retries wanted to wait; they wait a hundredth of it. */
  readonly slept: number[];
}

const IDLE_MS = 60_000;

export function modelsAt(
  server: Pick<ProviderServer, 'baseUrls'>,
  { idleMs = IDLE_MS }: { idleMs?: number } = {},
): TestModels {
  const slept: number[] = [];
  const models = createModels(
    {
      now: Date.now,
      random: () => 1,
      sleep: async (ms, signal) => {
        if (ms === idleMs) return wait(ms, undefined, { signal });
        slept.push(ms);
        await wait(ms / 100, undefined, { signal });
      },
    },
    { env: ENV, baseUrls: server.baseUrls(), idleMs },
  );
  return { models, slept };
}

export function modelFrom({ models }: TestModels, id: string): Model {
  const resolved = models.resolve(id);
  if (!resolved.ok) throw new Error(resolved.problem);
  return resolved.model;
}

export const LS: ToolSchema = {
  name: 'ls',
  description: 'Lists a folder.',
  input: { type: 'object', properties: { path: { type: 'string' } } },
};

export const user = (content: string): HistoryMessage => ({ role: 'user', id: 'u', content });

export function requestOf(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messageId: 'm1',
    system: 'Be brief.',
    history: [user('Hi')],
    tools: [LS],
    signal: new AbortController().signal,
    ...fields,
  };
}

export async function ask(model: Model, fields: Partial<ModelRequest> = {}): Promise<StreamEvent[]> {
  return all(model.stream(requestOf(fields)));
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Events without their times. */
export function plain(events: readonly StreamEvent[]): object[] {
  return events.map(({ at: _at, ...event }) => event);
}

export function textOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
}
