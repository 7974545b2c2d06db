// The process: settings, signals, banner. `server.ts` does the rest.

import { parseArgs } from 'node:util';
import { loadConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { openBrowser } from './open-browser.ts';
import { problemWithModel, startServer, type RunningServer } from './server.ts';
import { onStopSignal } from './signals.ts';

try {
  const { values } = parseArgs({ options: { 'no-open': { type: 'boolean', default: false } } });
  const modelProblem = problemWithModel(process.env);
  const config = await loadConfig({ env: process.env, cwd: process.cwd(), modelProblem });
  const log = createLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  const began = performance.now();
  const starting = startServer({ config, log, env: process.env });

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
  });

  const server = await starting;
  if (!stopping) {
    process.stdout.write(banner(server, config.home, performance.now() - began));
    if (process.stdout.isTTY && !values['no-open']) openBrowser(server.url, process.env);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function banner({ url, database, model }: RunningServer, home: string, milliseconds: number): string {
  const lines = [
    '',
    'Continuo',
    '',
    `open   ${url}`,
    `api    ${url}/api`,
    `docs   ${url}/docs`,
    `data   ${database === 'embedded' ? home : 'the database of DATABASE_URL'}`,
    `model  ${model}`,
    '',
    `ready in ${(milliseconds / 1000).toFixed(1)} s; Ctrl-C stops it`,
    '',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}
