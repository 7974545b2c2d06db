// Where the command begins. What a command needs is loaded when it runs, so that `--help` is there at once.

import { CommanderError } from 'commander';
import { EXIT, failure, usageError, type CommandError } from './failure.ts';
import { onUnread } from './output.ts';
import { createProgram, USAGE_HINT } from './program.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onUnread();
  });
}

const json = process.argv.includes('--json');
try {
  await createProgram({ quiet: json }).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    // It has said what was wrong already, to people.
    if (error.exitCode !== 0 && json) failure(asUsageError(error), json);
    process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.usage);
  }
  // A server that could not start leaves connections behind, which must not keep the process.
  process.exit(failure(error, json));
}

function asUsageError({ code, message }: CommanderError): CommandError {
  const said = code === 'commander.help' ? 'There is no such command.' : message.replace(/^error: /, '');
  return usageError(said, USAGE_HINT);
}
