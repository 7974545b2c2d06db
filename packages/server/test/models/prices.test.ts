import { expect, test } from 'vitest';
import { createModels } from '../../src/models/catalog.ts';
import { contextLimitOf, costOf, knownModels } from '../../src/models/prices.ts';

const million = { input: 1_000_000, output: 0 };

test.each([
  ['anthropic/claude-sonnet-4-6', { input: 1_000_000, output: 1_000_000 }, 18],
  ['anthropic/claude-sonnet-4-6', { ...million, cachedInput: 1_000_000 }, 0.3],
  ['anthropic/claude-sonnet-4-6', { ...million, cacheWrite: 1_000_000 }, 3.75],
  ['openai/gpt-5.4-mini', { ...million, cachedInput: 500_000 }, 0.4125],
  ['google/gemini-2.5-flash', { input: 1_000_000, output: 1_000_000, reasoning: 900_000 }, 2.8],
  ['offline/demo', million, 0],
])('RT-7 a call of %s is priced by its tokens', (model, usage, dollars) => {
  expect(costOf(model, usage)).toBeCloseTo(dollars, 6);
});

test('RT-7 a price that is not known is null, never a guess', () => {
  expect(costOf('openai/no-such-model', million)).toBeNull();
  expect(costOf('compatible/gpt-5.4', million)).toBeNull();
  expect(costOf('nonsense', million)).toBeNull();
});

test('RT-7 more cached tokens than tokens are not paid back', () => {
  expect(costOf('openai/gpt-5.4-mini', { input: 10, output: 0, cachedInput: 50 })).toBeGreaterThan(0);
});

test('RT-7 every default model has a price and a context limit', () => {
  const world = { now: Date.now, sleep: () => Promise.resolve() };
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY']) {
    const { default: model } = createModels(world, { env: { [name]: 'k' } });
    expect(costOf(model, million), model).toBeGreaterThan(0);
    expect(contextLimitOf(model), model).toBeGreaterThan(100_000);
  }
  expect(contextLimitOf('offline/demo')).toBeNull();
});

test('RT-7 the known models of a provider with a key are listed, its usual one first; those of others are not', () => {
  const world = { now: Date.now, sleep: () => Promise.resolve() };
  const list = (env: Record<string, string>) => createModels(world, { env }).list().models;
  const models = list({ ANTHROPIC_API_KEY: 'k' });
  const { default: usual } = createModels(world, { env: { ANTHROPIC_API_KEY: 'k' } });
  expect(models[0]).toBe(usual);
  expect(models).toContain('anthropic/claude-opus-4-8');
  expect(models).toEqual([...new Set(models)]);
  expect(models.filter((id) => !/^(anthropic|offline)\//.test(id))).toEqual([]);
  expect(list({}).filter((id) => !id.startsWith('offline/'))).toEqual([]);
  // Behind that address is somebody else.
  const elsewhere = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://localhost:1' };
  expect(list(elsewhere).filter((id) => id.startsWith('anthropic/'))).toEqual([usual]);
});

test.each(['openai', 'anthropic', 'google'])(
  'RT-7 what is listed of %s talks, and has a price',
  (provider) => {
    const known = knownModels(provider);
    expect(known.length).toBeGreaterThan(5);
    expect(known.filter((id) => /image|audio|tts|realtime|embedding|transcribe|:/.test(id))).toEqual([]);
    for (const id of known) expect(costOf(`${provider}/${id}`, million), id).toBeGreaterThan(0);
  },
);
