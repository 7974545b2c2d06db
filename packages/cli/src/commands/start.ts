// The server's process: settings, signals, the banner, and the console in a browser if started at a terminal.

import {
  createLogger,
  loadConfig,
  onStopSignal,
  problemWithModel,
  startServer,
  type RunningServer,
} from '@continuo/server';
import { print, printJson } from '../output.ts';
import { openBrowser } from '../open-browser.ts';

/** The limit for stopping after CONTINUO_DRAIN_SECONDS, which may wait for a database that does not respond. */
const STOP_TIMEOUT_MS = 25_000;

export interface StartOptions {
  readonly json?: boolean;
  readonly open: boolean;
  readonly port?: number;
  readonly home?: string;
  /** What the pod does; CONTINUO_ROLE, or all, if absent. */
  readonly role?: 'serve' | 'worker';
}

export async function start({ json = false, open, port, home, role }: StartOptions): Promise<void> {
  const env = {
    ...process.env,
    ...(port !== undefined && { CONTINUO_PORT: String(port) }),
    ...(home !== undefined && { CONTINUO_HOME: home }),
    ...(role !== undefined && { CONTINUO_ROLE: role }),
  };
  const config = await loadConfig({ env, cwd: process.cwd(), modelProblem: problemWithModel(env) });
  const log = createLogger({
    level: config.logLevel,
    pretty: !json && process.stdout.isTTY,
    ...(json && { destination: { write: (line: string) => void process.stderr.write(line) } }),
  });
  const began = performance.now();
  const starting = startServer({ config, log, env });

  // Installed at once: a server that gets a signal while it starts finishes its start and then stops.
  let stopping = false;
  const signals = onStopSignal({
    drain: () => {
      stopping = true;
      log.info('stopping: threads are released at their next step');
      void starting
        .then((server) => server.stop())
        .then(() => signals.release())
        .catch((error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        });
    },
    force: () => process.exit(1),
    withinMs: config.drainSeconds * 1000 + STOP_TIMEOUT_MS,
  });

  const server = await starting.catch((error: unknown) => {
    signals.release();
    throw error;
  });
  if (stopping) return;
  const { url, database, model } = server;
  // A server with an API key may have output that others can read, so its link has no token.
  const link = config.apiKey === undefined ? server.link : url;
  // A worker serves no console.
  const console = config.role === 'worker' ? null : link;
  if (json) printJson({ url, open: console, model, database, home: config.home });
  else print(banner(server, { console, home: config.home, milliseconds: performance.now() - began }));
  if (open && console !== null && process.stdout.isTTY) openBrowser(server.link, env);
}

interface BannerOptions {
  /** Null for a pod that serves only probes and metrics. */
  readonly console: string | null;
  readonly home: string;
  readonly milliseconds: number;
}

function banner(
  { url, database, model }: RunningServer,
  { console, home, milliseconds }: BannerOptions,
): string {
  const addresses =
    console === null
      ? [`ready  ${url}/readyz`]
      : [`open   ${console}`, `api    ${url}/api`, `docs   ${url}/docs`];
  const lines = [
    '',
    'Continuo',
    '',
    ...addresses,
    `data   ${database === 'embedded' ? home : 'the database of DATABASE_URL'}`,
    `model  ${model}`,
    '',
    `ready in ${(milliseconds / 1000).toFixed(1)} s; Ctrl-C stops it`,
    '',
  ];
  return lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
}
