// The files in deploy/: what they name exists, and the topology of the compose file, run as plain processes with the
// nginx configuration that it ships, keeps every run through kills and a rolling restart.

import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createClient, type Client } from '@continuo/client';
import { until } from '@continuo/testkit';
import {
  emptyDatabase,
  findCompose,
  findNginx,
  freePort,
  runNginx,
  temporaryFolder,
  type TestDatabase,
} from '@continuo/testkit/fixtures';
import { continuo, start } from './support.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const shipped = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const API_KEY = 'a-key-for-programs-0123456789';

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

test('RUN-12 the compose file has Postgres, a one-shot migration, two pods that wait for it, and nginx', () => {
  const { services } = parse(shipped('docker-compose.yml'), { merge: true }) as {
    services: Record<string, Service>;
  };
  expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'pod-1', 'pod-2', 'worker', 'nginx']);
  expect(services.migrate).toMatchObject({ command: ['migrate'], restart: 'no' });
  for (const name of ['pod-1', 'pod-2'])
    expect(services[name]!.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
  const { context, dockerfile } = services['pod-1']!.build!;
  expect(readFileSync(join(ROOT, 'deploy', context, dockerfile), 'utf8')).toContain(
    'ENTRYPOINT ["continuo"]',
  );

  const settings = readFileSync(join(ROOT, 'docs/operation.md'), 'utf8');
  const given = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment));
  const manifest = parseAllDocuments(shipped('kubernetes/continuo.yaml')).map((each) =>
    JSON.stringify(each.toJS()),
  );
  const inKubernetes = manifest.join().match(/CONTINUO_[A-Z_]+/g) ?? [];
  for (const name of [...given, ...inKubernetes])
    if (name.startsWith('CONTINUO_')) expect(settings).toContain(`\`${name}\``);
  // Pods in containers do not share a home, so what the homes would hold is given to all of them.
  const shared = [...settings.matchAll(/^\| `(\w+)`.*Pods that do not share a home need the same value/gm)];
  expect(shared.length).toBeGreaterThan(1);
  for (const [, name] of shared) {
    expect(services['pod-1']!.environment).toHaveProperty(name!);
    expect(shipped('kubernetes/continuo.yaml')).toContain(`--from-literal=${name}=`);
  }
  const example = shipped('.env.example');
  for (const [, name] of shipped('docker-compose.yml').matchAll(/\$\{(\w+)/g))
    expect(example).toContain(`${name}=`);
});

const compose = await findCompose();

test.skipIf(compose === null)(
  `RUN-12 docker-compose accepts the compose file with the settings of .env.example${compose === null ? ' (skipped: there is no docker-compose)' : ''}`,
  () => {
    const folder = join(temporaryFolder(), 'deploy');
    cpSync(join(ROOT, 'deploy'), folder, { recursive: true });
    const config = () => {
      const { status, stdout, stderr } = spawnSync(compose!, ['--profile', 'workers', 'config'], {
        cwd: folder,
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    };
    // Version 1 knows the whole format but for the name of the project.
    const file = join(folder, 'docker-compose.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: continuo$/m, ''));
    cpSync(join(folder, '.env.example'), join(folder, '.env'));
    expect(config()).toMatchObject({ stderr: expect.stringContaining('set it in .env') as string });
    const filled = shipped('.env.example').replaceAll(
      /^(POSTGRES_PASSWORD|CONTINUO_[A-Z]+_(?:KEY|TOKEN))=$/gm,
      '$1=0123456789abcdef0123456789abcdef',
    );
    writeFileSync(join(folder, '.env'), `${filled}\nOTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318\n`);
    const { status, stdout, stderr } = config();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { services } = parse(stdout) as { services: Record<string, Service> };
    expect(Object.keys(services)).toHaveLength(6);
    expect(services['pod-2']!.environment).toMatchObject({
      CONTINUO_SECRETS_KEY: '0123456789abcdef0123456789abcdef',
      DATABASE_URL: 'postgres://continuo:0123456789abcdef0123456789abcdef@postgres:5432/continuo',
      CONTINUO_ALLOWED_HOSTS: 'localhost,pod-1,pod-2',
      CONTINUO_ROLE: 'all',
      CONTINUO_MODEL: '',
      // Settings that the file does not name.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    });
  },
);

test('PLUS-6 Prometheus scrapes every service of the compose file that is a pod', () => {
  const { services } = parse(shipped('docker-compose.yml'), { merge: true }) as {
    services: Record<string, Service>;
  };
  const pods = Object.entries(services).filter(
    ([, { build, command }]) => build !== undefined && command?.[0] !== 'migrate',
  );
  expect(scrapeTargets()).toEqual(pods.map(([name]) => `${name}:4400`));
});

test('RUN-12 the Kubernetes workers are the pods of continuo.yaml with the command worker, without a service', () => {
  interface Deployment {
    readonly spec: {
      readonly selector: unknown;
      readonly template: {
        readonly metadata: { readonly labels: { readonly app: string } };
        readonly spec: {
          readonly terminationGracePeriodSeconds: number;
          readonly containers: readonly Readonly<Record<string, unknown>>[];
        };
      };
    };
  }
  const documents = (name: string) =>
    parseAllDocuments(shipped(name)).map((each) => each.toJS() as { kind: string } & Deployment);
  const kinds = (name: string) => documents(name).map(({ kind }) => kind);
  expect(kinds('kubernetes/workers.yaml')).toEqual(['Deployment']);
  expect(kinds('kubernetes/continuo.yaml')).toEqual(['Job', 'Deployment', 'Service']);
  const [workers, pods, service] = [
    documents('kubernetes/workers.yaml')[0]!,
    documents('kubernetes/continuo.yaml')[1]!,
    documents('kubernetes/continuo.yaml')[2]!,
  ];
  const labels = workers.spec.template.metadata.labels;
  expect(workers.spec.selector).toEqual({ matchLabels: labels });
  // A service that selected workers would send requests to pods that refuse them.
  expect(service.spec.selector).toEqual(pods.spec.template.metadata.labels);
  expect(labels.app).not.toBe(pods.spec.template.metadata.labels.app);
  const [worker, pod] = [workers, pods].map(({ spec }) => spec.template.spec.containers[0]!);
  expect(worker!.args).toEqual(['worker']);
  expect(worker!.env).toContainEqual({ name: 'CONTINUO_MIGRATE', value: 'off' });
  for (const same of [
    'image',
    'envFrom',
    'readinessProbe',
    'livenessProbe',
    'securityContext',
    'volumeMounts',
  ])
    expect(worker![same]).toEqual(pod![same]);
  expect(workers.spec.template.spec.terminationGracePeriodSeconds).toBe(
    pods.spec.template.spec.terminationGracePeriodSeconds,
  );
});

const nginx = await findNginx();
const missing = 'why' in nginx ? nginx.why : null;

test.skipIf(missing !== null)(
  `RUN-12 migrate, two pods and nginx with TLS: one pod is killed, both are rolled, and clients notice nothing${missing === null ? '' : ` (skipped: ${missing})`}`,
  { timeout: 180_000 },
  async () => {
    const database = await emptyDatabase();
    onTestFinished(() => database.drop());
    const ports = [await freePort(), (await freePort()) + 1] as const;

    const early = await continuo(['start', '--no-open', '--home', temporaryFolder()], {
      env: settingsFor(database, 0),
    });
    expect(early.code).toBe(1);
    expect(early.stderr).toContain('run "continuo migrate" with this version first');
    const migrated = await continuo(['migrate'], { env: settingsFor(database, 0) });
    expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('Applied 001_') as string });

    const pods = ports.map((port) => new DeployedPod(database, port));
    onTestFinished(async () => void (await Promise.all(pods.map((pod) => pod.end('SIGKILL')))));
    await Promise.all(pods.map((pod) => pod.start()));
    const targets = scrapeTargets().slice(0, 2);
    expect(targets).toEqual(['pod-1:4400', 'pod-2:4400']);
    for (const [index, target] of targets.entries())
      expect([target, await scraped(ports[index]!, target)]).toEqual([target, 200]);
    const proxy = await runNginx((nginx as { program: string }).program, (folder, port) =>
      deployedNginx(folder, port, ports),
    );
    onTestFinished(() => proxy.end());
    trustAnyCertificate();
    const address = `https://127.0.0.1:${proxy.port}`;
    const client = createClient({ baseUrl: address, apiKey: API_KEY });
    // The pods do not speak TLS themselves, and name addresses that their clients can reach.
    const feed = await fetch(`${address}/api/v1/content/default/rss.xml`, {
      headers: { 'x-api-key': API_KEY },
    });
    expect(await feed.text()).toContain(`href="${address}/api/v1/content/`);

    const traffic = keepTalking(client);
    await traffic.until(4);
    await pods[0]!.end('SIGKILL');
    await traffic.until(8);
    await pods[0]!.start();
    for (const pod of pods) {
      await traffic.until(traffic.finished + 4);
      expect(await pod.end('SIGTERM')).toBe(0);
      await traffic.until(traffic.finished + 2);
      await pod.start();
    }
    await traffic.stop();
    expect(traffic.problems).toEqual([]);
    const { rows } = await database.pool.query('select status, count(*)::int as runs from runs group by 1');
    expect(rows).toEqual([{ status: 'done', runs: traffic.finished }]);
  },
);

test(
  'RUN-12 continuo serve and two of continuo worker: a worker is killed, another drains on SIGTERM, and every run ends',
  {
    timeout: 180_000,
  },
  async () => {
    const database = await emptyDatabase();
    onTestFinished(() => database.drop());
    expect((await continuo(['migrate'], { env: settingsFor(database, 0) })).code).toBe(0);
    const port = await freePort();
    const serving = new DeployedPod(database, port, ['serve']);
    const workers = [1, 2].map((after) => new DeployedPod(database, port + after, ['worker']));
    const pods = [serving, ...workers];
    onTestFinished(async () => void (await Promise.all(pods.map((pod) => pod.end('SIGKILL')))));
    await Promise.all(pods.map((pod) => pod.start()));
    const client = createClient({ baseUrl: serving.url, apiKey: API_KEY });
    const refused = createClient({ baseUrl: workers[0]!.url, apiKey: API_KEY }).threads.create();
    await expect(refused).rejects.toMatchObject({ status: 503, code: 'worker_pod' });

    const traffic = keepTalking(client);
    await traffic.until(4);
    await workers[0]!.end('SIGKILL');
    await traffic.until(traffic.finished + 4);
    await workers[0]!.start();
    await traffic.until(traffic.finished + 4);
    expect(await workers[1]!.end('SIGTERM')).toBe(0);
    await traffic.until(traffic.finished + 4);
    await traffic.stop();
    expect(traffic.problems).toEqual([]);
    const { rows } = await database.pool.query('select status, count(*)::int as runs from runs group by 1');
    expect(rows).toEqual([{ status: 'done', runs: traffic.finished }]);
    expect(await serving.end('SIGTERM')).toBe(0);
  },
);

function scrapeTargets(): readonly string[] {
  const { scrape_configs: jobs } = parse(shipped('prometheus/prometheus.yml')) as {
    scrape_configs: {
      static_configs: { targets: string[] }[];
      dns_sd_configs: { names: string[]; port: number }[];
    }[];
  };
  return jobs.flatMap(({ static_configs, dns_sd_configs }) => [
    ...static_configs.flatMap((each) => each.targets),
    ...dns_sd_configs.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
  ]);
}

function settingsFor({ url }: TestDatabase, port: number): Record<string, string> {
  return {
    DATABASE_URL: url,
    CONTINUO_MIGRATE: 'off',
    CONTINUO_PORT: String(port),
    CONTINUO_API_KEY: API_KEY,
    CONTINUO_ALLOWED_HOSTS: allowedHosts(),
    CONTINUO_MODEL: 'offline/script',
    CONTINUO_LEASE_SECONDS: '1',
    // As the compose file gives what is not set in .env.
    CONTINUO_ROLE: 'all',
    OPENAI_API_KEY: '',
    ANTHROPIC_API_KEY: '',
    GOOGLE_GENERATIVE_AI_API_KEY: '',
  };
}

/** As the compose file makes it, with the settings of .env.example. */
function allowedHosts(): string {
  const { services } = parse(shipped('docker-compose.yml'), { merge: true }) as {
    services: Record<string, Service>;
  };
  return services['pod-1']!.environment!.CONTINUO_ALLOWED_HOSTS!.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
}

/** The status of a pod's metrics when it is asked for by this name, as Prometheus does. */
async function scraped(port: number, host: string): Promise<number | undefined> {
  const headers = { host, authorization: `Bearer ${API_KEY}` };
  const [response] = (await once(get({ port, path: '/metrics', headers }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** A pod as the image starts it, with a home of its own that outlives its process. */
class DeployedPod {
  readonly #home = temporaryFolder();
  readonly #env: Record<string, string>;
  readonly #command: readonly string[];
  #process: ReturnType<typeof start>['child'] | null = null;

  constructor(database: TestDatabase, port: number, command: readonly string[] = ['start', '--no-open']) {
    this.#env = settingsFor(database, port);
    this.#command = command;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#env.CONTINUO_PORT}`;
  }

  async start(): Promise<void> {
    const { child, ended } = start([...this.#command, '--home', this.#home], { env: this.#env });
    this.#process = child;
    const failed = ended.then(({ stderr, stdout }) => Promise.reject(new Error(stdout + stderr)));
    await Promise.race([
      failed,
      until('the pod is ready', () =>
        fetch(`${this.url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    ]);
    failed.catch(() => undefined);
  }

  /** Resolves with the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return null;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    return (await exited)[0];
  }
}

/** The shipped configuration with this machine's addresses and paths, and a new certificate. */
function deployedNginx(folder: string, port: number, pods: readonly [number, number]): string {
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost -keyout ${folder}/privkey.pem -out ${folder}/fullchain.pem`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  );
  const replaced = shipped('nginx.conf')
    .replace('pod-1:4400', `127.0.0.1:${pods[0]}`)
    .replace('pod-2:4400', `127.0.0.1:${pods[1]}`)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replaceAll('/tmp/', `${folder}/`)
    .replaceAll('/etc/nginx/tls', folder)
    .replace(/include .*mime\.types;/, '');
  return process.geteuid?.() === 0 ? `user root;\n${replaced}` : replaced;
}

function trustAnyCertificate(): void {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  onTestFinished(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
}

/** Three people who send a message, follow the answer to its end, and send the next. */
function keepTalking(client: Client) {
  const script = JSON.stringify({ steps: [{ tokens: 40, delay_ms: 10 }] });
  const problems: unknown[] = [];
  let isOver = false;
  let finished = 0;
  const person = async (): Promise<void> => {
    const { id } = await client.threads.create();
    while (!isOver) {
      const { run } = await client.threads.send(id, { content: script });
      const seqs: number[] = [];
      for await (const event of client.runs.stream(run.id)) seqs.push(event.id);
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      finished += 1;
    }
  };
  const people = Promise.all([person(), person(), person()]).catch((error: unknown) => problems.push(error));
  return {
    problems,
    get finished() {
      return finished;
    },
    until: (count: number) => until(`${count} runs are done`, () => finished >= count || problems.length > 0),
    stop: async () => {
      isOver = true;
      await people;
    },
  };
}
