// The server's settings. Each comes from the environment, else from continuo.config.ts in the working folder, else from
// the default. All problems are reported at once, and no secret is ever shown.

import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseAllowed } from '../hosts/allowed-host.ts';
import { didYouMean } from '../names/did-you-mean.ts';
import { isLoopback } from '../hosts/loopback.ts';

const podRoles = ['all', 'serve', 'worker'] as const;
const sandboxes = ['auto', 'docker', 'podman', 'off'] as const;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** All problems with the settings, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const count =
      problems.length === 1 ? 'A setting is not valid' : `${problems.length} settings are not valid`;
    super([`${count}:`, ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const fileName = 'continuo.config.ts';

/** What a value may be. */
interface Rule<Value> {
  readonly schema: z.ZodType<Value>;
  /** Completes the sentence "allowed: …". */
  readonly allowed: string;
  /** How a value that is not allowed is quoted; as JSON if absent. */
  readonly show?: (given: unknown) => string;
}

interface Setting<Value> extends Rule<Value> {
  readonly env: string;
  readonly fallback: Value;
}

function setting<Value>(env: string, fallback: NoInfer<Value>, rule: Rule<Value>): Setting<Value>;
function setting<Value, Absent extends null | undefined>(
  env: string,
  fallback: Absent,
  rule: Rule<Value>,
): Setting<Value | Absent>;
function setting(env: string, fallback: unknown, rule: Rule<unknown>): Setting<unknown> {
  return { env, fallback, ...rule };
}

const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number),
]);

/** A bound is written once: it limits the value, and stands in the message. Without `most`, there is no upper bound. */
function aNumber(least: number, most = Infinity): Rule<number> {
  const schema = number.pipe(z.number().min(least).max(most));
  return { schema, allowed: `a number ${range(least, most)}` };
}

function aWholeNumber(least: number, most = Infinity): Rule<number> {
  const schema = number.pipe(z.int().min(least).max(most));
  return { schema, allowed: `a whole number ${range(least, most)}` };
}

function range(least: number, most: number): string {
  return most === Infinity ? `from ${least}` : `from ${least} to ${most}`;
}

function oneOf<const Words extends readonly string[]>(words: Words): Rule<Words[number]> {
  return { schema: z.enum(words), allowed: words.join(', ') };
}

function aSecret(characters: number): Rule<string> {
  return {
    schema: z.string().regex(new RegExp(`^[\\x21-\\x7e]{${characters},}$`)),
    allowed: `at least ${characters} printable ASCII characters without a space`,
    show: hide,
  };
}

const onOrOff: Rule<boolean> = {
  schema: z.union([z.boolean(), z.enum(['on', 'off']).transform((word) => word === 'on')]),
  allowed: 'on or off',
};
const commaList = z.union([
  z.string().transform((list) => list.split(',').map((entry) => entry.trim())),
  z.array(z.string()),
]);
const hostName = z
  .string()
  .transform((name) => name.replace(/^\[(.*)\]$/, '$1').toLowerCase())
  .refine(
    (name) => isIP(name) !== 0 || /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/.test(name),
  );
/** As browsers send it: in lower case, without the scheme's default port. */
const webOrigin = z
  .string()
  .refine((text) => /^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) && URL.canParse(text))
  .transform((text) => new URL(text).origin);
/** Commands see it under the same path, so it is not in a place that they have for themselves. */
const toolchainFolder = z
  .string()
  .regex(/^(\/[^/\0]+)+$/)
  .refine(
    (path) =>
      !path.split('/').includes('..') &&
      !/^\/(etc|root|run)$|^\/(proc|sys|dev|tmp|workspace|scratch|outputs|proxy)(\/|$)/.test(path),
  );
const postgresUrl: Rule<string> = {
  schema: z.string().refine((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)),
  allowed: 'postgres://user:password@host:port/database',
  show: showUrl,
};
const modelName = z.string().regex(/^[a-z\d-]+(\/\S+|[\w.:-]*)$/i);

const settings = {
  host: setting('CONTINUO_HOST', '127.0.0.1', {
    schema: hostName,
    allowed: 'a host name or an IP address, without a port',
  }),
  /** 0 means any free port. */
  port: setting('CONTINUO_PORT', 4400, {
    ...aWholeNumber(0, 65_535),
    allowed: 'a whole number from 0 (any free port) to 65535',
  }),
  /** The data folder, absolute. */
  home: setting('CONTINUO_HOME', '.continuo', {
    schema: z.string().refine((path) => !path.includes('\0')),
    allowed: 'the path of a folder',
  }),
  /** If absent, the embedded database in `home` is used. */
  databaseUrl: setting('DATABASE_URL', undefined, postgresUrl),
  /** A direct connection, without a pooler in front, for LISTEN and locks. Defaults to `databaseUrl`. */
  directUrl: setting('CONTINUO_DIRECT_URL', undefined, postgresUrl),
  /** Whether a start migrates the database. If not, it refuses a database whose schema is not current. */
  migrate: setting('CONTINUO_MIGRATE', true, onOrOff),
  /** What this pod does: `serve` requests, run (`worker`), or both. */
  role: setting('CONTINUO_ROLE', 'all', oneOf(podRoles)),
  /** `provider/model`, or a bare model name that exactly one provider has. If absent, the offline model. */
  model: setting('CONTINUO_MODEL', undefined, {
    schema: modelName,
    allowed: 'provider/model, such as offline/demo, or the bare name of a model that only one provider has',
  }),
  /** How long a provider may send nothing, before or during an answer. */
  modelIdleSeconds: setting('CONTINUO_MODEL_IDLE_SECONDS', 120, aNumber(1, 3600)),
  executorLeaseSeconds: setting('CONTINUO_EXECUTOR_LEASE_SECONDS', 30, aNumber(1, 3600)),
  leaseSeconds: setting('CONTINUO_LEASE_SECONDS', 5, aNumber(1, 300)),
  /** How long a pod that was told to stop still serves while it says that it is not ready. */
  drainSeconds: setting('CONTINUO_DRAIN_SECONDS', 0, aNumber(0, 300)),
  apiKey: setting('CONTINUO_API_KEY', undefined, aSecret(16)),
  logLevel: setting('CONTINUO_LOG_LEVEL', 'info', oneOf(logLevels)),
  /** Host names, besides loopback and `host`, that requests may be sent to. */
  allowedHosts: setting('CONTINUO_ALLOWED_HOSTS', [], {
    schema: commaList.pipe(z.array(hostName)),
    allowed: 'host names without ports, separated by commas',
  }),
  /** Origins whose pages may use the API through CORS. */
  allowedOrigins: setting('CONTINUO_ALLOWED_ORIGINS', [], {
    schema: commaList.pipe(z.array(webOrigin)),
    allowed:
      'origins such as https://app.example.com or http://localhost:3000, separated by commas, without a path',
  }),
  /** Hosts that requests may go to though they are not on the public internet: names, addresses, ranges. */
  outgoingAllow: setting('CONTINUO_OUTGOING_ALLOW', [], {
    schema: commaList.pipe(z.array(z.string().refine((entry) => parseAllowed(entry) !== null))),
    allowed:
      'host names (also *.example.internal), addresses and ranges such as 10.0.0.0/8, each also with a port such as localhost:3001, separated by commas',
  }),
  /** The names of the workspaces whose published content anybody may read; `*` for all. */
  publicContent: setting('CONTINUO_PUBLIC_CONTENT', [], {
    schema: commaList.pipe(z.array(z.string().regex(/^(\*|[a-z\d][a-z\d_-]{0,63})$/))),
    allowed: 'names of workspaces separated by commas, or *',
  }),
  /** The person's token. If absent, the one stored in `home`. */
  personToken: setting('CONTINUO_PERSON_TOKEN', undefined, aSecret(32)),
  /** Whether agents have the tool `web_visit`. */
  webVisit: setting('CONTINUO_WEB_VISIT', false, onOrOff),
  /** The search engine of `web_search`: `brave`, or the address of a SearXNG server. If absent, there is no such tool. */
  webSearch: setting('CONTINUO_WEB_SEARCH', undefined, {
    schema: z
      .string()
      .refine(
        (text) =>
          /^brave$/.test(text) ||
          (/^(brave )?https?:\/\/\S+$/.test(text) && URL.canParse(text.replace(/^brave /, ''))),
      ),
    allowed: 'brave, or the address of a SearXNG server, such as http://localhost:8080',
  }),
  /** Whether agents have the calendar tools. */
  calendar: setting('CONTINUO_CALENDAR', false, onOrOff),
  /** What the key of the workspaces' secrets is derived from. If absent, the one stored in `home`. */
  secretsKey: setting('CONTINUO_SECRETS_KEY', undefined, aSecret(32)),
  /** A run's limits, unless its message sets others; null: no limit. */
  runSteps: setting('CONTINUO_RUN_STEPS', 100, aWholeNumber(1, 10_000)),
  runTokens: setting('CONTINUO_RUN_TOKENS', null, aWholeNumber(1)),
  /** In US dollars. */
  runCost: setting('CONTINUO_RUN_COST', null, {
    schema: number.pipe(z.number().positive()),
    allowed: 'US dollars, above 0',
  }),
  runSeconds: setting('CONTINUO_RUN_SECONDS', null, aNumber(1, 2_000_000)),
  /** How many lines of a tool's result later runs are shown. */
  toolSummaryLines: setting('CONTINUO_TOOL_SUMMARY_LINES', 5, aWholeNumber(1, 1000)),
  /** The summarizer's model; the model that answered last if absent. */
  summarizerModel: setting('CONTINUO_SUMMARIZER_MODEL', undefined, {
    schema: modelName,
    allowed: 'provider/model, or the bare name of a model that only one provider has',
  }),
  /** A summary is due with more turns, characters of old messages, or tokens than these. */
  summaryTurns: setting('CONTINUO_SUMMARY_TURNS', 20, aWholeNumber(8, 100_000)),
  summaryCharacters: setting('CONTINUO_SUMMARY_CHARACTERS', 5000, aWholeNumber(1000, 100_000_000)),
  historyTokens: setting('CONTINUO_HISTORY_TOKENS', 16_000, aWholeNumber(1000, 10_000_000)),
  /** Maximum size of one file, and of all versions of a workspace's files. */
  maxFileBytes: setting('CONTINUO_MAX_FILE_BYTES', 32 * 1024 * 1024, aWholeNumber(1024, 268_435_456)),
  workspaceBytes: setting('CONTINUO_WORKSPACE_BYTES', 10 * 1024 ** 3, aWholeNumber(1024)),
  /** How long an idle session lives without a message or a ping. */
  actorInactivityTimeoutSeconds: setting(
    'CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS',
    600,
    aNumber(1, 2_000_000),
  ),
  /** How long a person has to answer an approval; null: no limit. */
  approvalExpiresSeconds: setting('CONTINUO_APPROVAL_EXPIRES_SECONDS', null, aNumber(1, 100_000_000)),
  /** Whether agents may run commands: in bubblewrap (`auto`), in containers, or not at all. */
  sandbox: setting('CONTINUO_SANDBOX', 'auto', {
    ...oneOf(sandboxes),
    allowed: 'auto (bubblewrap), docker, podman or off',
  }),
  /** The runtime of the containers; the engine's default if absent. */
  sandboxRuntime: setting('CONTINUO_SANDBOX_RUNTIME', undefined, {
    schema: z.string().regex(/^[\w./][\w./-]*$/),
    allowed: 'the name of a runtime of docker or podman, such as runsc',
  }),
  /** Folders of the host that commands may read, besides /usr: toolchains. */
  sandboxFolders: setting('CONTINUO_SANDBOX_FOLDERS', [], {
    schema: z
      .union([z.string().transform((list) => list.split(':')), z.array(z.string())])
      .pipe(z.array(toolchainFolder)),
    allowed:
      'absolute paths of folders, separated by colons, such as /opt/node:/opt/python; not the root, /tmp or another place that commands have for themselves, nor the folder of the data',
  }),
  /** Where traces are sent: the address of an OpenTelemetry collector. If absent, there are no traces. */
  traceEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, {
    schema: z.url({ protocol: /^https?$/ }),
    allowed: 'the http or https address of a collector, without /v1/traces, such as http://localhost:4318',
  }),
  traceHeaders: setting(
    'OTEL_EXPORTER_OTLP_HEADERS',
    {},
    {
      schema: z
        .union([z.string().transform(headerList), z.record(z.string(), z.string())])
        .pipe(z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/))),
      allowed: 'name=value, separated by commas',
      show: hide,
    },
  ),
  traceService: setting('OTEL_SERVICE_NAME', 'continuo', {
    schema: z.string().min(1).max(200),
    allowed: 'a name of at most 200 characters',
  }),
  /** Whether traces contain what models wrote, and what tools got and returned. */
  traceContent: setting('CONTINUO_TRACE_CONTENT', false, onOrOff),
  /** The pauses between the attempts to deliver a message to a webhook. */
  webhookRetrySeconds: setting('CONTINUO_WEBHOOK_RETRY_SECONDS', [5, 60, 600, 3600, 21_600, 43_200], {
    schema: z
      .union([
        z.string().transform((list) => list.split(',').map((entry): string | number => entry.trim())),
        z.array(z.union([z.string(), z.number()])),
      ])
      .pipe(z.array(number.pipe(z.number().min(0.01).max(604_800))).max(20)),
    allowed: 'at most 20 numbers from 0.01 to 604800, separated by commas',
  }),
};

/** The value of each setting: what its rule accepts, or its default. */
export type Config = {
  readonly [Key in keyof typeof settings]: (typeof settings)[Key] extends Setting<infer Value>
    ? Readonly<Value>
    : never;
};

const keys = Object.keys(settings) as (keyof Config)[];

/** Variables of the tests and the command line: not server settings, but not mistakes either. */
const foreign = /^CONTINUO_(TEST_|CHAOS|URL$)/;

export async function loadConfig(world: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Returns what is wrong with a model's name, or null. */
  readonly modelProblem?: (model: string) => string | null;
}): Promise<Config> {
  const problems: string[] = unknownVariables(world.env);
  const file = await readFile(world.cwd, problems);
  const given = (key: keyof Config): { name: string; value: unknown } | undefined => {
    const { env } = settings[key];
    // An empty variable counts as unset: compose files and CI pass unset variables as empty.
    if (world.env[env]) return { name: env, value: world.env[env] };
    if (file[key] !== undefined) return { name: `${key} in ${fileName}`, value: file[key] };
    return undefined;
  };

  const read = (key: keyof Config): unknown => {
    const found = given(key);
    const { schema, allowed, fallback, show = JSON.stringify } = settings[key];
    if (!found) return fallback;
    const result = schema.safeParse(found.value);
    if (result.success) return result.data;
    problems.push(`${found.name} is ${show(found.value)}; allowed: ${allowed}`);
    return fallback;
  };

  const values = Object.fromEntries(keys.map((key) => [key, read(key)])) as unknown as Config;
  const config: Config = {
    ...values,
    home: resolve(world.cwd, values.home),
    directUrl: values.directUrl ?? values.databaseUrl,
  };

  if (!isLoopback(config.host) && !given('apiKey')) {
    problems.push(
      `${given('host')?.name} is ${JSON.stringify(config.host)}, which other machines can reach, but there is no API key; ` +
        `allowed: set ${settings.apiKey.env} (${settings.apiKey.allowed}), or use 127.0.0.1`,
    );
  }
  const exposed = config.sandboxFolders.find(
    (folder) => `${config.home}/`.startsWith(`${folder}/`) || folder.startsWith(`${config.home}/`),
  );
  if (exposed !== undefined)
    problems.push(
      `${given('sandboxFolders')?.name} has ${JSON.stringify(exposed)}, which is or contains the data folder ${config.home}; allowed: ${settings.sandboxFolders.allowed}`,
    );
  if (given('directUrl') && !given('databaseUrl')) {
    problems.push(
      `${given('directUrl')?.name} is set but ${settings.databaseUrl.env} is not; ` +
        'allowed: both, for the same database, or neither, for the embedded one',
    );
  }
  for (const key of ['model', 'summarizerModel'] as const) {
    const model = config[key];
    const unusable = model === undefined ? null : world.modelProblem?.(model);
    if (unusable) problems.push(`${given(key)?.name}: ${unusable}`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

async function readFile(cwd: string, problems: string[]): Promise<Readonly<Record<string, unknown>>> {
  const path = join(cwd, fileName);
  if (!existsSync(path)) return {};
  try {
    const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
    const result = z.record(z.string(), z.unknown()).safeParse(module.default);
    if (!result.success) {
      problems.push(
        `the default export of ${fileName} is not an object; allowed: export default { port: 4400 }`,
      );
      return {};
    }
    problems.push(...unknownKeys(result.data));
    return result.data;
  } catch (error) {
    problems.push(`${fileName} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = keys.map((key) => settings[key].env);
  return Object.keys(env)
    .filter((name) => name.startsWith('CONTINUO_') && !known.includes(name) && !foreign.test(name))
    .map((name) => `${name} is not a setting${didYouMean(name, known)}`);
}

function unknownKeys(file: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(file)
    .filter((key) => !Object.hasOwn(settings, key))
    .map((key) => `${key} in ${fileName} is not a setting${didYouMean(key, keys)}`);
}

/** `name=value,name=value`, with values that may be percent-encoded. An entry without a name or a value is not a header. */
function headerList(list: string): Record<string, string> {
  return Object.fromEntries(
    list.split(',').map((entry) => {
      const [name = '', ...value] = entry.split('=');
      return [name.trim(), decodeValue(value.join('=').trim())];
    }),
  );
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function hide(given: unknown): string {
  return typeof given === 'string' ? `a secret of ${given.length} characters` : `a ${typeof given}`;
}

/** A value that is not a URL may be a password in the wrong place, so it is not shown at all. */
function showUrl(given: unknown): string {
  if (typeof given !== 'string' || !/^[a-z]+:\/\//.test(given) || !URL.canParse(given)) return hide(given);
  const url = new URL(given);
  if (url.password) url.password = '***';
  for (const name of url.searchParams.keys())
    if (/pass|secret|key/i.test(name)) url.searchParams.set(name, '***');
  return JSON.stringify(url.href);
}
