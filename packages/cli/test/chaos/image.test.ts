// The image of deploy/Dockerfile, built and run. Its base comes from Debian and from this Node instead of a registry of images, so the
// test needs no registry but npm's. It takes minutes, so only the long form does it.

import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '@continuo/client';
import { until } from '@continuo/testkit';
import {
  findDebootstrap,
  findPodman,
  freePort,
  startForeignPostgres,
  temporaryFolder,
} from '@continuo/testkit/fixtures';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const DOCKERFILE = join(ROOT, 'deploy/Dockerfile');
const API_KEY = 'a-key-for-programs-0123456789';
const CERTIFICATES = '/etc/ssl/certs/of-the-build.pem';

const why = await skipped();

test.skipIf(why !== null)(
  `RUN-12 the image is built; as a user without privileges it migrates, serves, is healthy, and drains on SIGTERM${why === null ? '' : ` (skipped: ${why})`}`,
  async () => {
    const postgres = await startForeignPostgres('18.4.0-beta.17');
    if (postgres === null) throw new Error('npm has no Postgres 18 for this platform, or is not reachable');
    onTestFinished(() => postgres.end());
    const podman = await podmanWithBase();
    const build = 'build --format docker --pull=never --isolation chroot --network host --tag continuo';
    await podman(...build.split(' '), '--file', DOCKERFILE, ROOT);
    const port = await freePort();
    const settings = {
      DATABASE_URL: postgres.url,
      CONTINUO_MIGRATE: 'off',
      CONTINUO_HOST: '127.0.0.1',
      CONTINUO_PORT: String(port),
      CONTINUO_API_KEY: API_KEY,
      CONTINUO_PERSON_TOKEN: 'a-token-for-people-0123456789-0123456789',
      // The compose file gives what .env leaves empty.
      CONTINUO_MODEL: '',
      OPENAI_API_KEY: '',
    };
    const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const options = [
      '--network',
      'host',
      '--ulimit',
      'nofile=4096:4096',
      '--ulimit',
      'nproc=4096:4096',
      ...env,
    ];
    const early = await podman('run', '--rm', ...options, 'continuo').catch((error: unknown) => error);
    expect(early).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run "continuo migrate"') as string,
    });
    expect(await podman('run', '--rm', ...options, 'continuo', 'migrate')).toContain('Applied 001_');

    const [image] = JSON.parse(await podman('image', 'inspect', 'continuo')) as [Image];
    expect(image.Config).toMatchObject({ User: 'node', StopSignal: 'SIGTERM', Volumes: { '/data': {} } });
    await podman('run', '--detach', '--name', 'pod', '--volume', 'home:/data', ...options, 'continuo');
    onTestFinished(async () => void (await podman('rm', '--force', 'pod')));
    const inPod = (...command: readonly string[]) => podman('exec', 'pod', ...command);
    const [, ...probe] = image.Healthcheck.Test;
    await until('the pod is healthy', () =>
      inPod(...probe).then(
        () => true,
        () => false,
      ),
    );
    expect((await inPod('id', '-u')).trim()).toBe('1000');
    // Starts are quick because of what Node has compiled; a folder that the build left there would be root's.
    expect(await inPod('stat', '--format', '%U', '/tmp/node-compile-cache')).toBe('node\n');
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY });
    const { id } = await client.threads.create();
    const { run: answered } = await client.threads.send(id, { content: 'hello' });
    const events = await Array.fromAsync(client.runs.stream(answered.id));
    expect(events.at(-1)).toMatchObject({ type: 'state', data: { status: 'done' } });

    await podman('stop', '--time', '30', 'pod');
    expect((await podman('inspect', '--format', '{{.State.ExitCode}}', 'pod')).trim()).toBe('0');
  },
);

interface Image {
  readonly Config: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

async function skipped(): Promise<string | null> {
  if (process.env.CONTINUO_CHAOS !== 'long') return 'the long form does it';
  if (!(await findPodman()).isThere) return 'there is no podman with runc, or the user is not root';
  return (await findDebootstrap()) === null ? 'there is no debootstrap' : null;
}

/** podman with images and containers of its own, among them the base that the Dockerfile names. */
async function podmanWithBase(): Promise<(...args: readonly string[]) => Promise<string>> {
  const folder = temporaryFolder();
  const podman = async (...args: readonly string[]) => {
    const own = [
      '--root',
      join(folder, 'storage'),
      '--runroot',
      join(folder, 'run'),
      '--runtime',
      '/usr/sbin/runc',
    ];
    const { stdout } = await run('podman', [...own, ...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  };
  const names = new Set(readFileSync(DOCKERFILE, 'utf8').match(/(?<=^FROM )\S+/gm));
  expect([...names]).toEqual([expect.stringMatching(/^node:\d+-trixie-slim$/)]);
  const base = join(folder, 'base');
  await run('debootstrap', ['--variant=minbase', 'trixie', base], { maxBuffer: 64 * 1024 * 1024 });
  cpSync(process.execPath, join(base, 'usr/local/bin/node'));
  chmodSync(join(base, 'usr/local/bin/node'), 0o755);
  // Not `npm root --global`, which is beside the Node that runs npm: that may be a Node without one.
  const { stdout } = await run('sh', ['-c', 'command -v npm']);
  const npm = dirname(dirname(realpathSync(stdout.trim())));
  mkdirSync(join(base, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
  await run('chroot', [base, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node']);
  const certificates = process.env.NODE_EXTRA_CA_CERTS;
  if (certificates) cpSync(certificates, join(base, CERTIFICATES));
  const archive = join(folder, 'base.tar');
  await run('tar', ['--create', '--directory', base, '--file', archive, '.']);
  const change = certificates ? ['--change', `ENV=NODE_EXTRA_CA_CERTS=${CERTIFICATES}`] : [];
  await podman('import', '--quiet', ...change, archive, `docker.io/library/${[...names][0]}`);
  onTestFinished(async () => void (await podman('rmi', '--all', '--force')));
  return podman;
}
