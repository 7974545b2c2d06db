import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { isLoopback } from '../../src/hosts/loopback.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'continuo-config-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const load = (env: Record<string, string> = {}) => loadConfig({ env, cwd });
const file = (text: string) => writeFile(join(cwd, 'continuo.config.ts'), text);
const problems = async (env: Record<string, string> = {}): Promise<readonly string[]> => {
  const error: unknown = await load(env).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems;
};

const key = 'k3y-of-sixteen-or-more';

test('without any setting, the defaults hold', async () => {
  expect(await load()).toEqual({
    host: '127.0.0.1',
    port: 4400,
    home: join(cwd, '.continuo'),
    databaseUrl: undefined,
    directUrl: undefined,
    migrate: true,
    model: undefined,
    executorLeaseSeconds: 30,
    role: 'all',
    leaseSeconds: 5,
    drainSeconds: 0,
    apiKey: undefined,
    logLevel: 'info',
    allowedHosts: [],
    allowedOrigins: [],
    outgoingAllow: [],
    publicContent: [],
    personToken: undefined,
    summarizerModel: undefined,
    summaryTurns: 20,
    summaryCharacters: 5000,
    historyTokens: 16_000,
    webVisit: false,
    webSearch: undefined,
    calendar: false,
    secretsKey: undefined,
    runSteps: 100,
    runTokens: null,
    runCost: null,
    runSeconds: null,
    toolSummaryLines: 5,
    maxFileBytes: 33_554_432,
    workspaceBytes: 10_737_418_240,
    modelIdleSeconds: 120,
    actorInactivityTimeoutSeconds: 600,
    approvalExpiresSeconds: null,
    sandbox: 'auto',
    sandboxRuntime: undefined,
    sandboxFolders: [],
    traceEndpoint: undefined,
    traceHeaders: {},
    traceService: 'continuo',
    traceContent: false,
    webhookRetrySeconds: [5, 60, 600, 3600, 21_600, 43_200],
  });
});

test('every setting can come from the environment', async () => {
  const config = await load({
    CONTINUO_HOST: '0.0.0.0',
    CONTINUO_PORT: '0',
    CONTINUO_HOME: 'data',
    DATABASE_URL: 'postgres://me:pw@db:5432/continuo',
    CONTINUO_DIRECT_URL: 'postgresql:///continuo?host=/run/postgresql',
    CONTINUO_MIGRATE: 'off',
    CONTINUO_MODEL: 'offline/demo',
    CONTINUO_EXECUTOR_LEASE_SECONDS: '12',
    CONTINUO_ROLE: 'serve',
    CONTINUO_LEASE_SECONDS: '1.5',
    CONTINUO_DRAIN_SECONDS: '20',
    CONTINUO_API_KEY: key,
    CONTINUO_LOG_LEVEL: 'warn',
    CONTINUO_ALLOWED_HOSTS: 'Agents.Example.com, [fd00::1]',
    CONTINUO_ALLOWED_ORIGINS: 'https://app.example.com, http://127.0.0.1:5173',
    CONTINUO_OUTGOING_ALLOW: 'localhost:3001, 10.0.0.0/8',
    CONTINUO_PUBLIC_CONTENT: 'blog, docs',
    CONTINUO_PERSON_TOKEN: 'a-token-of-thirty-two-or-more-characters',
    CONTINUO_WEB_VISIT: 'on',
    CONTINUO_WEB_SEARCH: 'http://localhost:8080',
    CONTINUO_CALENDAR: 'on',
    CONTINUO_SECRETS_KEY: 'a-key-of-thirty-two-or-more-characters',
    CONTINUO_SUMMARIZER_MODEL: 'offline/demo',
    CONTINUO_SUMMARY_TURNS: '30',
    CONTINUO_SUMMARY_CHARACTERS: '9000',
    CONTINUO_HISTORY_TOKENS: '32000',
    CONTINUO_RUN_STEPS: '7',
    CONTINUO_RUN_TOKENS: '8000',
    CONTINUO_RUN_COST: '0.25',
    CONTINUO_RUN_SECONDS: '60',
    CONTINUO_TOOL_SUMMARY_LINES: '3',
    CONTINUO_MAX_FILE_BYTES: '2048',
    CONTINUO_WORKSPACE_BYTES: '4096',
    CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS: '60',
    CONTINUO_APPROVAL_EXPIRES_SECONDS: '86400',
    CONTINUO_SANDBOX: 'podman',
    CONTINUO_SANDBOX_RUNTIME: 'runsc',
    CONTINUO_SANDBOX_FOLDERS: '/opt/node:/opt/python',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=agents,authorization=Basic%20dGVzdA==',
    OTEL_SERVICE_NAME: 'agents',
    CONTINUO_TRACE_CONTENT: 'on',
    CONTINUO_WEBHOOK_RETRY_SECONDS: '0.5, 10',
    CONTINUO_MODEL_IDLE_SECONDS: '900',
  });
  expect(config).toEqual({
    host: '0.0.0.0',
    port: 0,
    home: join(cwd, 'data'),
    databaseUrl: 'postgres://me:pw@db:5432/continuo',
    directUrl: 'postgresql:///continuo?host=/run/postgresql',
    migrate: false,
    model: 'offline/demo',
    executorLeaseSeconds: 12,
    role: 'serve',
    leaseSeconds: 1.5,
    drainSeconds: 20,
    apiKey: key,
    logLevel: 'warn',
    allowedHosts: ['agents.example.com', 'fd00::1'],
    allowedOrigins: ['https://app.example.com', 'http://127.0.0.1:5173'],
    outgoingAllow: ['localhost:3001', '10.0.0.0/8'],
    publicContent: ['blog', 'docs'],
    personToken: 'a-token-of-thirty-two-or-more-characters',
    webVisit: true,
    webSearch: 'http://localhost:8080',
    calendar: true,
    secretsKey: 'a-key-of-thirty-two-or-more-characters',
    summarizerModel: 'offline/demo',
    summaryTurns: 30,
    summaryCharacters: 9000,
    historyTokens: 32_000,
    runSteps: 7,
    runTokens: 8000,
    runCost: 0.25,
    runSeconds: 60,
    toolSummaryLines: 3,
    maxFileBytes: 2048,
    workspaceBytes: 4096,
    modelIdleSeconds: 900,
    actorInactivityTimeoutSeconds: 60,
    approvalExpiresSeconds: 86_400,
    sandbox: 'podman',
    sandboxRuntime: 'runsc',
    sandboxFolders: ['/opt/node', '/opt/python'],
    traceEndpoint: 'http://localhost:4318',
    traceHeaders: { 'x-team': 'agents', authorization: 'Basic dGVzdA==' },
    traceService: 'agents',
    traceContent: true,
    webhookRetrySeconds: [0.5, 10],
  });
});

test('the direct connection is the database unless it is set', async () => {
  const config = await load({ DATABASE_URL: 'postgres://db/continuo' });
  expect(config.directUrl).toBe('postgres://db/continuo');
});

test('an empty variable is an unset one', async () => {
  expect((await load({ CONTINUO_PORT: '', CONTINUO_API_KEY: '' })).port).toBe(4400);
});

describe('continuo.config.ts', () => {
  test('its default export sets what the environment does not', async () => {
    await file(
      `const port: number = 5000;
       export default { port, model: 'offline/file', allowedHosts: ['a.example'] };`,
    );
    const config = await load({ CONTINUO_MODEL: 'offline/env' });
    expect(config).toMatchObject({ port: 5000, model: 'offline/env', allowedHosts: ['a.example'] });
  });

  test('a misspelt key is refused with a suggestion', async () => {
    await file(`export default { prot: 5000, leaseSecond: 3, colour: 'red' };`);
    expect(await problems()).toEqual([
      'prot in continuo.config.ts is not a setting; did you mean port?',
      'leaseSecond in continuo.config.ts is not a setting; did you mean leaseSeconds?',
      expect.stringMatching(/^colour in continuo.config.ts is not a setting; allowed: host, port, /),
    ]);
  });

  test('a wrong value is named with its file', async () => {
    await file(`export default { port: 'http', apiKey: 5 };`);
    expect(await problems()).toEqual([
      'port in continuo.config.ts is "http"; allowed: a whole number from 0 (any free port) to 65535',
      expect.stringMatching(/^apiKey in continuo.config.ts is a number; allowed: /),
    ]);
  });

  test('without a default export, or with an error in it, it is refused', async () => {
    await file('export const port = 5000;');
    expect(await problems()).toEqual([expect.stringContaining('is not an object')]);
    cwd = await mkdtemp(join(tmpdir(), 'continuo-config-'));
    await file(`throw new Error('no such luck');`);
    expect(await problems()).toEqual(['continuo.config.ts cannot be loaded: no such luck']);
  });
});

test('all problems are reported at once, one per line', async () => {
  const wrong = {
    CONTINUO_HOST: 'not a host',
    CONTINUO_PORT: '70000',
    DATABASE_URL: 'mysql://me:hunter2@db/continuo',
    CONTINUO_MODEL: 'two words',
    CONTINUO_LEASE_SECONDS: '0',
    CONTINUO_API_KEY: 'hunter2',
    CONTINUO_LOG_LEVEL: 'loud',
    CONTINUO_ALLOWED_HOSTS: 'a.example:80',
    CONTINUO_PROT: '4400',
  };
  const lines = await problems(wrong);
  expect(lines).toHaveLength(9);
  for (const name of Object.keys(wrong)) {
    expect(lines.filter((line) => line.startsWith(`${name} is `))).toHaveLength(1);
  }
  await expect(load(wrong)).rejects.toThrow(
    /^9 settings are not valid:\n {2}CONTINUO_PROT is not a setting; did you mean CONTINUO_PORT\?\n/,
  );
});

test.each(['4400x', '-1', '1e3', '0x10', ' 80', '80.5', 'NaN'])('the port %j is refused', async (port) => {
  expect(await problems({ CONTINUO_PORT: port })).toHaveLength(1);
});

test('no secret is shown in an error', async () => {
  const lines = await problems({
    DATABASE_URL: 'mysql://me:hunter2@db/continuo?password=hunter2',
    CONTINUO_DIRECT_URL: 'me:hunter2@db',
    CONTINUO_API_KEY: 'hunter2',
  });
  expect(lines).toHaveLength(3);
  expect(lines.join('\n')).not.toContain('hunter2');
  expect(lines.join('\n')).toContain('mysql://me:***@db/continuo');
});

test('a variable that only looks like a setting is refused, those of the tests are not', async () => {
  expect(await problems({ CONTINUO_LEASE_SECOND: '5' })).toEqual([
    'CONTINUO_LEASE_SECOND is not a setting; did you mean CONTINUO_LEASE_SECONDS?',
  ]);
  await load({ CONTINUO_TEST_POINT: 'x', CONTINUO_CHAOS: 'long', PORT: '80' });
});

test('an address that others can reach is refused without an API key', async () => {
  expect(await problems({ CONTINUO_HOST: '0.0.0.0' })).toEqual([
    'CONTINUO_HOST is "0.0.0.0", which other machines can reach, but there is no API key; allowed: set CONTINUO_API_KEY ' +
      '(at least 16 printable ASCII characters without a space), or use 127.0.0.1',
  ]);
  expect((await load({ CONTINUO_HOST: '::', CONTINUO_API_KEY: key })).host).toBe('::');
});

test('a direct connection without a database is refused', async () => {
  expect(await problems({ CONTINUO_DIRECT_URL: 'postgres://db/continuo' })).toEqual([
    expect.stringMatching(/^CONTINUO_DIRECT_URL is set but DATABASE_URL is not/),
  ]);
});

test('only loopback names and addresses count as loopback', () => {
  expect(
    ['localhost', 'pod.localhost', '127.0.0.1', '127.9.9.9', '::1'].filter((host) => !isLoopback(host)),
  ).toEqual([]);
  expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.example', '128.0.0.1', ''].filter(isLoopback)).toEqual([]);
});

test('an unusable model is reported together with all other problems', async () => {
  const env = { CONTINUO_MODEL: 'nobody/model', CONTINUO_PORT: '-1' };
  const modelProblem = (model: string) => `there is no ${model}`;
  await expect(loadConfig({ env, cwd: import.meta.dirname, modelProblem })).rejects.toMatchObject({
    problems: [expect.stringMatching(/^CONTINUO_PORT /), 'CONTINUO_MODEL: there is no nobody/model'],
  });
});

test.each([
  '/',
  '/tmp/tools',
  '/proc',
  '/dev/shm',
  '/scratch/bin',
  '/opt/../etc',
  'opt/node',
  '/opt/node:/workspace',
])('WS-18 commands cannot be shown %s', async (folders) => {
  expect(await problems({ CONTINUO_SANDBOX_FOLDERS: folders })).toEqual([
    expect.stringContaining('CONTINUO_SANDBOX_FOLDERS'),
  ]);
});

test.each(['/srv', '/srv/data', '/srv/data/workspaces'])(
  'WS-18 commands cannot be shown %s if the data are in /srv/data',
  async (folder) => {
    expect(await problems({ CONTINUO_HOME: '/srv/data', CONTINUO_SANDBOX_FOLDERS: folder })).toEqual([
      expect.stringContaining('which is or contains the data folder /srv/data'),
    ]);
  },
);
