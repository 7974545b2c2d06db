// The server's settings. Each comes from the environment, else from continuo.config.ts in the working folder, else from
// the default. All problems are reported at once, and no secret is ever shown.

import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { parseAllowed } from './allowed-host.ts';
import { didYouMean } from './did-you-mean.ts';
import { isLoopback } from './loopback.ts';

export interface Config {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The data folder, absolute. */
  readonly home: string;
  /** If absent, the embedded database in `home` is used. */
  readonly databaseUrl: string | undefined;
  /** A direct connection, without a pooler in front, for LISTEN and locks. Defaults to `databaseUrl`. */
  readonly directUrl: string | undefined;
  /** Whether a start migrates the database. If not, it refuses a database whose schema is not current. */
  readonly migrate: boolean;
  /** What this pod does: `serve` requests, run (`worker`), or both. */
  readonly role: PodRole;
  /** `provider/model`, or a bare model name that exactly one provider has. If absent, the offline model. */
  readonly model: string | undefined;
  /** How long a provider may send nothing, before or during an answer. */
  readonly modelIdleSeconds: number;
  readonly executorLeaseSeconds: number;
  readonly leaseSeconds: number;
  readonly apiKey: string | undefined;
  readonly logLevel: LogLevel;
  /** Host names, besides loopback and `host`, that requests may be sent to. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may use the API through CORS. */
  readonly allowedOrigins: readonly string[];
  /** Hosts that requests may go to though they are not on the public internet: names, addresses, ranges. */
  readonly outgoingAllow: readonly string[];
  /** The names of the workspaces whose published content anybody may read; `*` for all. */
  readonly publicContent: readonly string[];
  /** The person's token. If absent, the one stored in `home`. */
  readonly personToken: string | undefined;
  /** Whether agents have the tool `web_visit`. */
  readonly webVisit: boolean;
  /** The search engine of `web_search`: `brave`, or the address of a SearXNG server. If absent, there is no such tool. */
  readonly webSearch: string | undefined;
  /** Whether agents have the calendar tools. */
  readonly calendar: boolean;
  /** What the key of the workspaces' secrets is derived from. If absent, the one stored in `home`. */
  readonly secretsKey: string | undefined;
  /** A run's limits, unless its message sets others; null: no limit. */
  readonly runSteps: number;
  readonly runTokens: number | null;
  /** In US dollars. */
  readonly runCost: number | null;
  readonly runSeconds: number | null;
  /** How many lines of a tool's result later runs are shown. */
  readonly toolSummaryLines: number;
  /** The summarizer's model; the model that answered last if absent. */
  readonly summarizerModel: string | undefined;
  /** A summary is due with more turns, characters of old messages, or tokens than these. */
  readonly summaryTurns: number;
  readonly summaryCharacters: number;
  readonly historyTokens: number;
  /** Maximum size of one file, and of all versions of a workspace's files. */
  readonly maxFileBytes: number;
  readonly workspaceBytes: number;
  /** How long an idle session lives without a message or a ping. */
  readonly actorInactivityTimeoutSeconds: number;
  /** How long a person has to answer an approval; null: no limit. */
  readonly approvalExpiresSeconds: number | null;
  /** Whether agents may run commands: in the sandbox that is usable here, or not at all. */
  readonly sandbox: 'auto' | 'off';
  /** Folders of the host that commands may read, besides /usr: toolchains. */
  readonly sandboxFolders: readonly string[];
  /** Where traces are sent: the address of an OpenTelemetry collector. If absent, there are no traces. */
  readonly traceEndpoint: string | undefined;
  readonly traceHeaders: Readonly<Record<string, string>>;
  readonly traceService: string;
  /** Whether traces contain what models wrote, and what tools got and returned. */
  readonly traceContent: boolean;
  /** The pauses between the attempts to deliver a message to a webhook. */
  readonly webhookRetrySeconds: readonly number[];
}

const podRoles = ['all', 'serve', 'worker'] as const;
type PodRole = (typeof podRoles)[number];

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

interface Setting {
  readonly env: string;
  readonly schema: z.ZodType;
  /** Completes the sentence "allowed: …". */
  readonly allowed: string;
  readonly show?: (given: unknown) => string;
}

const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number),
]);
const onOrOff = z.union([z.boolean(), z.enum(['on', 'off']).transform((word) => word === 'on')]);
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
/** Commands see it under the same path. */
const toolchainFolder = z
  .string()
  .regex(/^(\/[^/\0]+)+$/)
  .refine(
    (path) =>
      !path.split('/').includes('..') &&
      !/^\/(proc|sys|dev|etc|root|run|tmp|workspace|scratch|outputs)$/.test(path),
  );
const postgresUrl = z.string().refine((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url));

const settings: { readonly [Key in keyof Config]: Setting } = {
  host: { env: 'CONTINUO_HOST', schema: hostName, allowed: 'a host name or an IP address, without a port' },
  port: {
    env: 'CONTINUO_PORT',
    schema: number.pipe(z.int().min(0).max(65_535)),
    allowed: 'a whole number from 0 (any free port) to 65535',
  },
  home: {
    env: 'CONTINUO_HOME',
    schema: z.string().refine((path) => !path.includes('\0')),
    allowed: 'the path of a folder',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    schema: postgresUrl,
    allowed: 'postgres://user:password@host:port/database',
    show: showUrl,
  },
  directUrl: {
    env: 'CONTINUO_DIRECT_URL',
    schema: postgresUrl,
    allowed: 'postgres://user:password@host:port/database',
    show: showUrl,
  },
  migrate: {
    env: 'CONTINUO_MIGRATE',
    schema: z.union([z.boolean(), z.enum(['on', 'off']).transform((text) => text === 'on')]),
    allowed: 'on or off',
  },
  role: { env: 'CONTINUO_ROLE', schema: z.enum(podRoles), allowed: podRoles.join(', ') },
  model: {
    env: 'CONTINUO_MODEL',
    schema: z.string().regex(/^[a-z\d-]+(\/\S+|[\w.:-]*)$/i),
    allowed: 'provider/model, such as offline/demo, or the bare name of a model that only one provider has',
  },
  modelIdleSeconds: {
    env: 'CONTINUO_MODEL_IDLE_SECONDS',
    schema: number.pipe(z.number().min(1).max(3600)),
    allowed: 'a number from 1 to 3600',
  },
  executorLeaseSeconds: {
    env: 'CONTINUO_EXECUTOR_LEASE_SECONDS',
    schema: number.pipe(z.number().min(1).max(3600)),
    allowed: 'a number from 1 to 3600',
  },
  leaseSeconds: {
    env: 'CONTINUO_LEASE_SECONDS',
    schema: number.pipe(z.number().min(1).max(300)),
    allowed: 'a number from 1 to 300',
  },
  apiKey: {
    env: 'CONTINUO_API_KEY',
    schema: z.string().regex(/^[\x21-\x7e]{16,}$/),
    allowed: 'at least 16 printable ASCII characters without a space',
    show: hide,
  },
  logLevel: { env: 'CONTINUO_LOG_LEVEL', schema: z.enum(logLevels), allowed: logLevels.join(', ') },
  allowedHosts: {
    env: 'CONTINUO_ALLOWED_HOSTS',
    schema: commaList.pipe(z.array(hostName)),
    allowed: 'host names without ports, separated by commas',
  },
  allowedOrigins: {
    env: 'CONTINUO_ALLOWED_ORIGINS',
    schema: commaList.pipe(z.array(webOrigin)),
    allowed:
      'origins such as https://app.example.com or http://localhost:3000, separated by commas, without a path',
  },
  outgoingAllow: {
    env: 'CONTINUO_OUTGOING_ALLOW',
    schema: commaList.pipe(z.array(z.string().refine((entry) => parseAllowed(entry) !== null))),
    allowed:
      'host names (also *.example.internal), addresses and ranges such as 10.0.0.0/8, each also with a port such as localhost:3001, separated by commas',
  },
  publicContent: {
    env: 'CONTINUO_PUBLIC_CONTENT',
    schema: commaList.pipe(z.array(z.string().regex(/^(\*|[a-z\d][a-z\d_-]{0,63})$/))),
    allowed: 'names of workspaces separated by commas, or *',
  },
  personToken: {
    env: 'CONTINUO_PERSON_TOKEN',
    schema: z.string().regex(/^[\x21-\x7e]{32,}$/),
    allowed: 'at least 32 printable ASCII characters without a space',
    show: hide,
  },
  webVisit: { env: 'CONTINUO_WEB_VISIT', schema: onOrOff, allowed: 'on or off' },
  webSearch: {
    env: 'CONTINUO_WEB_SEARCH',
    schema: z
      .string()
      .refine(
        (text) =>
          /^brave$/.test(text) ||
          (/^(brave )?https?:\/\/\S+$/.test(text) && URL.canParse(text.replace(/^brave /, ''))),
      ),
    allowed: 'brave, or the address of a SearXNG server, such as http://localhost:8080',
  },
  calendar: { env: 'CONTINUO_CALENDAR', schema: onOrOff, allowed: 'on or off' },
  secretsKey: {
    env: 'CONTINUO_SECRETS_KEY',
    schema: z.string().regex(/^[\x21-\x7e]{32,}$/),
    allowed: 'at least 32 printable ASCII characters without a space',
    show: hide,
  },
  runSteps: {
    env: 'CONTINUO_RUN_STEPS',
    schema: number.pipe(z.int().min(1).max(10_000)),
    allowed: 'a whole number from 1 to 10000',
  },
  runTokens: {
    env: 'CONTINUO_RUN_TOKENS',
    schema: number.pipe(z.int().min(1)),
    allowed: 'a whole number from 1',
  },
  runCost: {
    env: 'CONTINUO_RUN_COST',
    schema: number.pipe(z.number().positive()),
    allowed: 'US dollars, above 0',
  },
  runSeconds: {
    env: 'CONTINUO_RUN_SECONDS',
    schema: number.pipe(z.number().min(1).max(2_000_000)),
    allowed: 'a number from 1 to 2000000',
  },
  toolSummaryLines: {
    env: 'CONTINUO_TOOL_SUMMARY_LINES',
    schema: number.pipe(z.int().min(1).max(1000)),
    allowed: 'a whole number from 1 to 1000',
  },
  summarizerModel: {
    env: 'CONTINUO_SUMMARIZER_MODEL',
    schema: z.string().regex(/^[a-z\d-]+(\/\S+|[\w.:-]*)$/i),
    allowed: 'provider/model, or the bare name of a model that only one provider has',
  },
  summaryTurns: {
    env: 'CONTINUO_SUMMARY_TURNS',
    schema: number.pipe(z.int().min(8).max(100_000)),
    allowed: 'a whole number from 8 to 100000',
  },
  summaryCharacters: {
    env: 'CONTINUO_SUMMARY_CHARACTERS',
    schema: number.pipe(z.int().min(1000).max(100_000_000)),
    allowed: 'a whole number from 1000 to 100000000',
  },
  historyTokens: {
    env: 'CONTINUO_HISTORY_TOKENS',
    schema: number.pipe(z.int().min(1000).max(10_000_000)),
    allowed: 'a whole number from 1000 to 10000000',
  },
  maxFileBytes: {
    env: 'CONTINUO_MAX_FILE_BYTES',
    schema: number.pipe(z.int().min(1024).max(268_435_456)),
    allowed: 'a whole number from 1024 to 268435456',
  },
  workspaceBytes: {
    env: 'CONTINUO_WORKSPACE_BYTES',
    schema: number.pipe(z.int().min(1024)),
    allowed: 'a whole number from 1024',
  },
  actorInactivityTimeoutSeconds: {
    env: 'CONTINUO_ACTOR_INACTIVITY_TIMEOUT_SECONDS',
    schema: number.pipe(z.number().min(1).max(2_000_000)),
    allowed: 'a number from 1 to 2000000',
  },
  approvalExpiresSeconds: {
    env: 'CONTINUO_APPROVAL_EXPIRES_SECONDS',
    schema: number.pipe(z.number().min(1).max(100_000_000)),
    allowed: 'a number from 1 to 100000000',
  },
  sandbox: { env: 'CONTINUO_SANDBOX', schema: z.enum(['auto', 'off']), allowed: 'auto or off' },
  sandboxFolders: {
    env: 'CONTINUO_SANDBOX_FOLDERS',
    schema: z
      .union([z.string().transform((list) => list.split(':')), z.array(z.string())])
      .pipe(z.array(toolchainFolder)),
    allowed:
      'absolute paths of folders, separated by colons, such as /opt/node:/opt/python; not the root, nor the folder of the data',
  },
  traceEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: z.url({ protocol: /^https?$/ }),
    allowed: 'the http or https address of a collector, without /v1/traces, such as http://localhost:4318',
  },
  traceHeaders: {
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: z
      .union([z.string().transform(headerList), z.record(z.string(), z.string())])
      .pipe(z.record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/))),
    allowed: 'name=value, separated by commas',
    show: hide,
  },
  traceService: {
    env: 'OTEL_SERVICE_NAME',
    schema: z.string().min(1).max(200),
    allowed: 'a name of at most 200 characters',
  },
  traceContent: { env: 'CONTINUO_TRACE_CONTENT', schema: onOrOff, allowed: 'on or off' },
  webhookRetrySeconds: {
    env: 'CONTINUO_WEBHOOK_RETRY_SECONDS',
    schema: z
      .union([
        z.string().transform((list) => list.split(',').map((entry): string | number => entry.trim())),
        z.array(z.union([z.string(), z.number()])),
      ])
      .pipe(z.array(number.pipe(z.number().min(0.01).max(604_800))).max(20)),
    allowed: 'at most 20 numbers from 0.01 to 604800, separated by commas',
  },
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

  const read = <Value>(key: keyof Config, fallback: Value): Value => {
    const found = given(key);
    if (!found) return fallback;
    const { schema, allowed, show = JSON.stringify } = settings[key];
    const result = schema.safeParse(found.value);
    if (result.success) return result.data as Value;
    problems.push(`${found.name} is ${show(found.value)}; allowed: ${allowed}`);
    return fallback;
  };

  const databaseUrl = read<string | undefined>('databaseUrl', undefined);
  const config: Config = {
    host: read('host', '127.0.0.1'),
    port: read('port', 4400),
    home: resolve(world.cwd, read('home', '.continuo')),
    databaseUrl,
    directUrl: read('directUrl', databaseUrl),
    migrate: read('migrate', true),
    role: read<PodRole>('role', 'all'),
    model: read<string | undefined>('model', undefined),
    modelIdleSeconds: read('modelIdleSeconds', 120),
    executorLeaseSeconds: read('executorLeaseSeconds', 30),
    leaseSeconds: read('leaseSeconds', 5),
    apiKey: read<string | undefined>('apiKey', undefined),
    logLevel: read<LogLevel>('logLevel', 'info'),
    allowedHosts: read<readonly string[]>('allowedHosts', []),
    allowedOrigins: read<readonly string[]>('allowedOrigins', []),
    outgoingAllow: read<readonly string[]>('outgoingAllow', []),
    publicContent: read<readonly string[]>('publicContent', []),
    personToken: read<string | undefined>('personToken', undefined),
    webVisit: read('webVisit', false),
    webSearch: read<string | undefined>('webSearch', undefined),
    calendar: read('calendar', false),
    secretsKey: read<string | undefined>('secretsKey', undefined),
    runSteps: read('runSteps', 100),
    runTokens: read<number | null>('runTokens', null),
    runCost: read<number | null>('runCost', null),
    runSeconds: read<number | null>('runSeconds', null),
    toolSummaryLines: read('toolSummaryLines', 5),
    summarizerModel: read<string | undefined>('summarizerModel', undefined),
    summaryTurns: read('summaryTurns', 20),
    summaryCharacters: read('summaryCharacters', 5000),
    historyTokens: read('historyTokens', 16_000),
    maxFileBytes: read('maxFileBytes', 32 * 1024 * 1024),
    workspaceBytes: read('workspaceBytes', 10 * 1024 ** 3),
    actorInactivityTimeoutSeconds: read('actorInactivityTimeoutSeconds', 600),
    approvalExpiresSeconds: read<number | null>('approvalExpiresSeconds', null),
    sandbox: read<Config['sandbox']>('sandbox', 'auto'),
    sandboxFolders: read<readonly string[]>('sandboxFolders', []),
    traceEndpoint: read<string | undefined>('traceEndpoint', undefined),
    traceHeaders: read<Readonly<Record<string, string>>>('traceHeaders', {}),
    traceService: read('traceService', 'continuo'),
    traceContent: read('traceContent', false),
    webhookRetrySeconds: read<readonly number[]>('webhookRetrySeconds', [5, 60, 600, 3600, 21_600, 43_200]),
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

/** `name=value,name=value`, with values that may be percent-encoded. An entry without a name or a value is no header. */
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
