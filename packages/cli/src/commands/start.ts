// The server's process: settings, signals, banner; and the console, in the browser of whoever started it at a terminal.

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

/** How long stopping may take: what it waits for may be a database that does not answer. */
const LONGEST_STOP_MS = 25_000;

export interface StartOptions {
  readonly json?: boolean;
  readonly open: boolean;
  readonly port?: number;
  readonly home?: string;
}

export async function start({ json = false, open, port, home }: StartOptions): Promise<void> {
  const env = {
    ...process.env,
    ...(port !== undefined && { CONTINUO_PORT: String(port) }),
    ...(home !== undefined && { CONTINUO_HOME: home }),
  };
  const config = await loadConfig({ env, cwd: process.cwd(), modelProblem: problemWithModel(env) });
  const log = createLogger({
    level: config.logLevel,
    pretty: !json && process.stdout.isTTY,
    ...(json && { destination: { write: (line: string) => void process.stderr.write(line) } }),
  });
  const began = performance.now();
  const starting = startServer({ config, log, env });

  // From the first moment on: a server that is told to stop while it starts, starts and stops.
  let stopping = false;
  const signals = onStopSignal({
    drain: () => {
      stopping = true;
      log.info('stopping: threads are let go at their next step');
      void starting
        .then((server) => server.stop())
        .then(() => signals.release())
        .catch((error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        });
    },
    force: () => process.exit(1),
    withinMs: LONGEST_STOP_MS,
  });

  const server = await starting.catch((error: unknown) => {
    signals.release();
    throw error;
  });
  if (stopping) return;
  const { url, database, model } = server;
  // Where a key is wanted, others may read what is printed here.
  const console = config.apiKey === undefined ? server.link : url;
  if (json) printJson({ url, open: console, model, database, home: config.home });
  else print(banner(server, { console, home: config.home, milliseconds: performance.now() - began }));
  if (open && process.stdout.isTTY) openBrowser(server.link, env);
}

interface Shown {
  readonly console: string;
  readonly home: string;
  readonly milliseconds: number;
}

function banner({ url, database, model }: RunningServer, { console, home, milliseconds }: Shown): string {
  const lines = [
    '',
    'Continuo',
    '',
    `open   ${console}`,
    `api    ${url}/api`,
    `docs   ${url}/docs`,
    `data   ${database === 'embedded' ? home : 'the database of DATABASE_URL'}`,
    `model  ${model}`,
    '',
    `ready in ${(milliseconds / 1000).toFixed(1)} s; Ctrl-C stops it`,
    '',
  ];
  return lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n');
}
