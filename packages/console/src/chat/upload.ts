// Files of this machine that go with a message are put into the workspace first, each under a name of its own.

import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';

/** Where what people upload is put. */
const UPLOADS = '/uploads';
/** How many names are tried for a file whose own is taken. */
const NAMES = 100;

interface UploadOptions {
  readonly attach: (path: string) => void;
  readonly failed: (problem: string) => void;
}

export function uploader({ attach, failed }: UploadOptions) {
  const all = async (files: Iterable<File>): Promise<void> => {
    for (const file of files) {
      try {
        attach(await put(file));
      } catch (error) {
        failed(`${file.name}: ${(error as Error).message}`);
      }
    }
  };
  /** What was pasted or dropped, if there are files in it. */
  const given = (event: { preventDefault(): void }, { files }: DataTransfer): void => {
    if (files.length === 0) return;
    event.preventDefault();
    void all([...files]);
  };
  return { all, given };
}

async function put(file: File): Promise<string> {
  const [, name, ending] = /^(.*?)(\.[^.]*)?$/s.exec(file.name) as unknown as [string, string, string?];
  for (let count = 1; ; count += 1) {
    const path = `${UPLOADS}/${name}${count === 1 ? '' : ` (${count})`}${ending ?? ''}`;
    try {
      return (await client.files.write(path, file, { base: null })).path;
    } catch (error) {
      if (!isTaken(error) || count === NAMES) throw error;
    }
  }
}

/** Also where a name is the same but for its spelling. */
function isTaken(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'version_conflict' || error.status === 409);
}
