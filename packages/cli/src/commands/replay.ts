// Replays the stored logs through this version. Before an upgrade, it records how the old version reads them; after the upgrade, it
// checks the new version against that recording.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkReplay, recordReplay, type Checked, type Replayed } from '@continuo/server/replay';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { interruptible } from '../interrupt.ts';
import { plural, print, printJson, progress, safe } from '../output.ts';
import { withDatabase, type Local } from './upkeep.ts';

interface ReplayFlags extends Local {
  /** True without a file. */
  readonly check?: string | true;
  readonly record?: string;
  readonly chat?: string;
  readonly limit?: number;
}

/** At most this many differences are printed; `--json` has them all. */
const MOST_PRINTED = 20;

export async function replay({ check, record, chat, limit, ...local }: ReplayFlags): Promise<void> {
  if ((check === undefined) === (record === undefined)) {
    throw usageError(
      'replay needs one of --check and --record.',
      'Before an upgrade: continuo replay --record FILE; after it: continuo replay --check FILE',
    );
  }
  if (typeof check === 'string' && !existsSync(check)) {
    throw new CommandError(`There is no file ${check}.`, { code: 'file_not_found', exitCode: EXIT.notFound });
  }
  const bar = progress(local.json ?? false);
  const work = (signal: AbortSignal) =>
    withDatabase({ ...local, create: false }, async ({ settings }): Promise<Replayed | Checked> => {
      const options = {
        database: settings,
        thread: chat,
        limit: limit ?? null,
        signal,
        onThread: (done: number, of: number) => bar.step(done, of, plural(of, 'chat')),
      };
      if (record !== undefined) return recordReplay({ ...options, file: resolve(record) });
      return checkReplay({ ...options, ...(typeof check === 'string' && { file: resolve(check) }) });
    });
  const done = await interruptible(() => 'nothing was changed.', work).finally(() => bar.end());
  const count = `${plural(done.events, 'event')} of ${plural(done.threads, 'chat')}`;
  if ('differences' in done) return report(done, count, local.json ?? false);
  if (local.json) return printJson({ file: resolve(record!), ...done });
  print(`Recorded how this version reads ${count}, in ${record}`);
}

function report(checked: Checked, count: string, json: boolean): void {
  const { differences } = checked;
  if (json) printJson(checked);
  else if (differences.length === 0) print(`${count}: no difference.`);
  else {
    for (const { thread, what, text } of differences.slice(0, MOST_PRINTED))
      print(safe(`chat ${thread}, ${what}: ${text}`));
    if (differences.length > MOST_PRINTED)
      print(`… and ${differences.length - MOST_PRINTED} more; see --json`);
  }
  if (differences.length > 0) {
    throw new CommandError(`${count}: ${plural(differences.length, 'difference')}.`, {
      code: 'replay_differs',
      exitCode: EXIT.failed,
    });
  }
}
