import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createModels } from '../../src/models/catalog.ts';
import { ENV, startProvider } from './server.ts';
import { MODEL, ask, modelFrom, modelsAt, textOf } from './support.ts';

const world = { now: Date.now, sleep: () => Promise.resolve() };
const source = join(import.meta.dirname, '../../src');

describe('RT-1', () => {
  test('RT-1 only one folder touches the AI SDK, and what it exports is named after it', async () => {
    const outside: string[] = [];
    const names: string[] = [];
    for await (const file of glob('**/*.ts', { cwd: source })) {
      const text = await readFile(join(source, file), 'utf8');
      const inside = file.startsWith(join('models', 'ai-sdk'));
      if (!inside && /from '(@ai-sdk\/|ai')/.test(text)) outside.push(file);
      if (inside)
        names.push(
          ...[...text.matchAll(/^export [a-z ]*?(\w+)(?= ?[(={:<]| extends)/gm)].map((found) => found[1]!),
        );
    }
    expect(outside).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !/^(AiSdk|aiSdk|createAiSdk|AI_SDK)/.test(name))).toEqual([]);
  });
});

describe('RT-3', () => {
  const defaultOf = (env: Record<string, string>, defaultModel?: string) =>
    createModels(world, { env, defaultModel }).default;

  test('RT-3 the configured model comes before any key', () => {
    expect(defaultOf({ OPENAI_API_KEY: 'k' }, 'anthropic/claude')).toBe('anthropic/claude');
  });

  test.each([
    ['OPENAI_API_KEY', 'openai/'],
    ['ANTHROPIC_API_KEY', 'anthropic/'],
    ['GOOGLE_GENERATIVE_AI_API_KEY', 'google/'],
    ['GEMINI_API_KEY', 'google/'],
  ])('RT-3 with %s alone, a model of %s answers', (name, prefix) => {
    const models = createModels(world, { env: { [name]: 'k' } });
    expect(models.default).toMatch(new RegExp(`^${prefix}`));
    expect(models.resolve(models.default).ok).toBe(true);
  });

  test('RT-3 the first provider with a key answers; an empty key is none', () => {
    expect(defaultOf({ ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' })).toMatch(/^anthropic\//);
    expect(defaultOf({ OPENAI_API_KEY: '', GEMINI_API_KEY: 'k' })).toMatch(/^google\//);
  });

  test('RT-3 without a key the offline model answers', () => {
    expect(defaultOf({})).toBe('offline/demo');
    expect(createModels(world).default).toBe('offline/demo');
  });

  test('RT-3 a bare name is that of the provider whose catalogue has it, in a request and as the default', () => {
    const models = createModels(world, {
      env: { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
      defaultModel: 'gpt-4o-mini',
    });
    expect(models.default).toBe('openai/gpt-4o-mini');
    const ids = ['gpt-4o-mini', 'claude-sonnet-4-5', 'demo'].map((name) => {
      const resolved = models.resolve(name);
      return resolved.ok ? resolved.model.id : resolved.problem;
    });
    expect(ids).toEqual(['openai/gpt-4o-mini', 'anthropic/claude-sonnet-4-5', 'offline/demo']);
    expect(models.resolve('gemini-2.5-flash')).toMatchObject({
      problem: expect.stringContaining(
        '"google/gemini-2.5-flash" needs a key; set GOOGLE_GENERATIVE_AI_API_KEY',
      ),
    });
    expect(models.resolve('llama3.2')).toMatchObject({
      problem: expect.stringContaining('no provider has a known model "llama3.2"; write provider/model'),
    });
  });

  test("RT-3 another server's key is not shown to OpenAI", () => {
    expect(defaultOf({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://localhost:11434/v1' })).toBe(
      'offline/demo',
    );
  });
});

describe('RT-7', () => {
  const problem = (id: string, env: Record<string, string> = {}) => {
    const resolved = createModels(world, { env }).resolve(id);
    return resolved.ok ? null : resolved.problem;
  };

  test.each([
    ['openai/gpt-5.4', 'OPENAI_API_KEY'],
    ['anthropic/claude-sonnet-4-6', 'ANTHROPIC_API_KEY'],
    ['google/gemini-2.5-flash', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['compatible/qwen3', 'OPENAI_BASE_URL'],
  ])('RT-7 without a key, %s says which variable to set', (id, variable) => {
    expect(problem(id)).toContain(variable);
  });

  test('RT-7 a compatible server needs an address and no key', () => {
    expect(problem('compatible/org/model:7b', { OPENAI_BASE_URL: 'http://localhost:11434/v1' })).toBeNull();
    expect(problem('compatible/qwen3', { OPENAI_BASE_URL: 'https://a.example/v1/' })).toBeNull();
  });

  test.each([
    ['localhost:11434/v1', 'did you mean http://localhost:11434/v1?'],
    ['localhost', 'did you mean http://localhost?'],
    ['ftp://localhost/v1', 'allowed: http:// or https://'],
    ['http://localhost:11434/v1?a=b', 'without ? and #'],
    ['http://localhost:11434/v1#a', 'without ? and #'],
    ['http://', 'allowed: http:// or https://'],
    ['me:secret@localhost/v1', 'such as http://localhost:11434/v1'],
  ])('RT-7 the address %s is refused: %s', (url, says) => {
    const refused = problem('compatible/qwen3', { OPENAI_BASE_URL: url });
    expect(refused).toContain('OPENAI_BASE_URL is not the address of a server');
    expect(refused).toContain(says);
    expect(refused).not.toContain('secret');
    expect(problem('anthropic/claude', { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url })).toContain(says);
    expect(createModels(world, { env: { OPENAI_BASE_URL: url } }).advice[0]).toContain(says);
  });

  test('RT-3 an address without a model is not passed over in silence', () => {
    const advice = (env: Record<string, string>, defaultModel?: string) =>
      createModels(world, { env, defaultModel }).advice;
    const OPENAI_BASE_URL = 'http://localhost:11434/v1';
    expect(advice({ OPENAI_BASE_URL })).toEqual([
      expect.stringContaining('CONTINUO_MODEL to compatible/<model>'),
    ]);
    expect(advice({ OPENAI_BASE_URL, OPENAI_API_KEY: 'k' })).toHaveLength(1);
    expect(advice({ OPENAI_BASE_URL }, 'compatible/qwen3')).toEqual([]);
    expect(advice({ OPENAI_BASE_URL, GEMINI_API_KEY: 'k' })).toEqual([]);
    expect(advice({})).toEqual([]);
  });

  test.each([
    ['OpenAI/gpt-5.4', 'openai/gpt-5.4'],
    ['openia/gpt-5.4', 'openai/gpt-5.4'],
    ['antropic/claude', 'anthropic/claude'],
    ['of-line/demo', 'offline/demo'],
  ])('RT-7 who writes %s is asked for %s', (id, meant) => {
    expect(problem(id)).toContain(`is not known; did you mean ${meant}?`);
  });

  test.each(['llama9', '/gpt', 'openai/', 'mistral/large', 'offline/none'])('RT-7 %s is explained', (id) => {
    expect(problem(id)).toContain('available: offline/demo');
  });

  test('RT-7 each provider is reached at its address, with its key, in its format', async () => {
    await using server = await startProvider();
    const models = modelsAt(server);
    for (const id of Object.values(MODEL)) expect(textOf(await ask(modelFrom(models, id)))).toBe('Hello');
    expect(server.received.map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/messages',
      '/v1beta/models/gemini-2.5-flash:streamGenerateContent',
    ]);
    const [responses, chat] = server.received;
    expect(responses!.body).toMatchObject({ store: false, stream: true, model: 'gpt-5.4' });
    expect(chat!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('RT-7 OPENAI_BASE_URL is the address of openai and of compatible', async () => {
    await using server = await startProvider();
    const env = { ...ENV, OPENAI_BASE_URL: `${server.url}/v1/` };
    const sleep = (ms: number, signal?: AbortSignal) => wait(ms, undefined, { signal });
    const models = createModels({ now: Date.now, sleep }, { env });
    const createdFrom = (id: string) => {
      const resolved = models.resolve(id);
      if (!resolved.ok) throw new Error(resolved.problem);
      return resolved.model;
    };
    for (const id of ['gpt-4o-mini', 'compatible/qwen3'])
      expect(textOf(await ask(createdFrom(id)))).toBe('Hello');
    expect(server.received.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions']);
  });

  test('RT-7 variables of the process are not looked at', () => {
    process.env.ANTHROPIC_API_KEY = 'k';
    expect(problem('anthropic/claude')).toContain('ANTHROPIC_API_KEY');
    delete process.env.ANTHROPIC_API_KEY;
  });
});

describe('the offline models', () => {
  const models = createModels(world);

  test('RT-7 with nothing configured the offline model is the default', () => {
    expect(models.default).toBe('offline/demo');
    expect(models.resolve(models.default)).toMatchObject({ ok: true, model: { id: 'offline/demo' } });
    expect(createModels(world, { defaultModel: 'offline/instant' }).default).toBe('offline/instant');
  });

  const wrong: [id: string, problem: string][] = [
    ['acme/large', 'provider "acme" is not known; available: offline/demo, offline/instant, offline/script'],
    [
      'offline/huge',
      'provider "offline" has no model "huge"; available: offline/demo, offline/instant, offline/script',
    ],
  ];
  test.each(wrong)('RT-7 the model %j is refused with what is wrong and what there is', (id, problem) => {
    expect(models.resolve(id)).toEqual({ ok: false, problem });
  });
});
