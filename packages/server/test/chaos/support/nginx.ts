// An nginx in front of a pod, as Debian ships it, with a configuration and a folder of its own.

import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '@continuo/testkit';

const run = promisify(execFile);
/** What was fetched once stays until the dependencies are removed. */
const CACHE = fileURLToPath(new URL('../../../../../node_modules/.cache/continuo-nginx/', import.meta.url));

export type Found = { readonly program: string } | { readonly why: string };

/** The machine's nginx, or else, for root on Debian, the one in Debian's package, unpacked and not installed. */
export async function findNginx(): Promise<Found> {
  for (const program of [
    '/usr/sbin/nginx',
    '/usr/local/sbin/nginx',
    '/usr/bin/nginx',
    join(CACHE, 'usr/sbin/nginx'),
  ]) {
    if (existsSync(program) && (await works(program))) return { program };
  }
  if (!existsSync('/usr/bin/apt-get')) return { why: 'there is no nginx, and no apt-get to fetch one' };
  if (process.geteuid?.() !== 0) return { why: 'there is no nginx, and only root can fetch one' };
  try {
    return await fetchNginx();
  } catch (error) {
    const [line = 'unknown'] = String(
      (error as { stderr?: string }).stderr || (error as Error).message,
    ).split('\n');
    return { why: `there is no nginx, and it could not be fetched: ${line}` };
  }
}

async function fetchNginx(): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-package-'));
  try {
    const download = () => run('apt-get', ['download', 'nginx'], { cwd: folder, timeout: 120_000 });
    // What packages there are is known only after an update, which takes longer than everything else.
    await download().catch(async () => {
      await run('apt-get', ['update'], { timeout: 180_000 });
      await download();
    });
    const [name] = readdirSync(folder).filter((each) => each.endsWith('.deb'));
    mkdirSync(CACHE, { recursive: true });
    await run('dpkg-deb', ['--extract', join(folder, name!), CACHE]);
    const program = join(CACHE, 'usr/sbin/nginx');
    return (await works(program)) ? { program } : { why: 'the nginx of this Debian does not run here' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function works(program: string): Promise<boolean> {
  return run(program, ['-v']).then(
    () => true,
    () => false,
  );
}

export interface Nginx {
  readonly url: string;
  end(): Promise<void>;
}

/** Proxies `/0/`, `/1/`, … to the pods, with nginx's own defaults: buffering on, and here gzip, too. */
export async function startNginx(program: string, pods: readonly string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, pods));
  const child = spawn(
    program,
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    {
      stdio: 'ignore',
    },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([
    until('nginx answers', () => answers(port)),
    exited.then(() => Promise.reject(new Error(`nginx did not start with ${folder}/nginx.conf`))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      // A quick end of the master and its workers; SIGKILL would leave the workers behind.
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, pods: readonly string[]): string {
  const locations = pods.map(
    (pod, index) => `
    location /${index}/ {
      proxy_pass ${pod}/;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
    }`,
  );
  return `daemon off;
${process.geteuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  proxy_buffering on;
  gzip on;
  gzip_min_length 1;
  gzip_proxied any;
  gzip_types text/event-stream application/json;
  server {
    listen 127.0.0.1:${port};${locations.join('')}
  }
}
`;
}

/** Below the ports that outgoing connections get. */
async function freePort(): Promise<number> {
  for (let port = 18_400 + (process.pid % 1000); ; port += 1) {
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
