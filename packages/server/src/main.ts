// The process: settings, banner, signals. `server.ts` does the rest.

import { ConfigError, loadConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startServer } from './server.ts';
import { onStopSignal } from './signals.ts';

try {
  const config = await loadConfig({ env: process.env, cwd: process.cwd() });
  const log = createLogger({ level: config.logLevel, pretty: process.stdout.isTTY });
  const started = performance.now();
  const server = await startServer({ config, log });
  const where = server.database === 'embedded' ? config.home : 'DATABASE_URL';
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `\n  Continuo\n\n  api    ${server.url}/api\n  docs   ${server.url}/docs\n  data   ${where}\n  model  ${server.model}\n\n  ready in ${seconds} s; Ctrl-C stops it\n\n`,
  );

  const signals = onStopSignal({
    drain: () => {
      log.info('stopping: threads are let go at their next step');
      server.stop().then(
        () => signals.release(),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
    },
    force: () => process.exit(1),
  });
} catch (error) {
  const isOurs = error instanceof ConfigError || (error instanceof Error && 'code' in error);
  process.stderr.write(`${isOurs || !(error instanceof Error) ? String(error) : error.message}\n`);
  process.exit(1);
}
