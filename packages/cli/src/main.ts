// The entry point. Commands load their modules when they run, so that `--help` is fast.

import { CommanderError } from 'commander';
import { EXIT, failure, usageError, type CommandError } from './failure.ts';
import { onClosedOutput } from './output.ts';
import { createProgram, USAGE_HINT } from './program.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onClosedOutput();
  });
}

const json = process.argv.includes('--json');
try {
  await createProgram({ quiet: json }).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has already reported the error to people.
    if (error.exitCode !== 0 && json) failure(asUsageError(error), json);
    process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage);
  }
  // A server that failed to start may leave connections open, which must not keep the process alive.
  process.exit(failure(error, json));
}

function asUsageError({ code, message }: CommanderError): CommandError {
  const said = code === 'commander.help' ? 'Unknown command.' : message.replace(/^error: /, '');
  return usageError(said, USAGE_HINT);
}
