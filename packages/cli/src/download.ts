// Writes a response to a file of this computer: the whole file, or nothing.

import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadable } from 'node:stream/web';
import { CommandError, EXIT } from './failure.ts';
import { interruptible } from './interrupt.ts';

export async function download(
  target: string,
  force: boolean,
  request: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  const partial = `${target}.continuo-partial`;
  await interruptible(
    () => `there is no ${target}.`,
    async (signal) => {
      const { body } = await request(signal);
      if (!force) refuseExisting(target);
      try {
        await pipeline(Readable.fromWeb(body as NodeReadable), createWriteStream(partial, { flags: 'wx' }), {
          signal,
        });
        await rename(partial, target);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(partial, { force: true });
        throw error;
      }
    },
  );
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new CommandError(`${file} already exists.`, {
    code: 'file_exists',
    exitCode: EXIT.conflict,
    hint: 'Name another file, or replace it with --force.',
  });
}
