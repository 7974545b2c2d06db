// Where the command begins. What a command needs is loaded when it runs, so that `--help` is there at once.

import { CommanderError } from 'commander';
import { EXIT, failure } from './failure.ts';
import { onUnread } from './output.ts';
import { createProgram } from './program.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onUnread();
  });
}

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  // Commander has said what was wrong already.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT.usage);
  // A server that could not start leaves connections behind, which must not keep the process.
  process.exit(failure(error, process.argv.includes('--json')));
}
