// Files of this machine that go with a message are put into the workspace first, each under a name of its own.

import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';

/** Where what people upload is put. */
const UPLOADS = '/uploads';
/** How many names are tried for a file whose own is taken. */
const NAMES = 100;

interface UploadOptions {
  readonly attach: (path: string) => void;
  /** What is wrong with those that were given last; null: nothing is. */
  readonly tell: (problem: string | null) => void;
}

export function uploader({ attach, tell }: UploadOptions) {
  const all = async (files: Iterable<File>): Promise<void> => {
    const problems: string[] = [];
    tell(null);
    for (const file of files) {
      try {
        attach(await put(file));
      } catch (error) {
        problems.push(`${file.name}: ${(error as Error).message}`);
        tell(problems.join(' '));
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
  try {
    return await putAs(file.name, file);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'invalid_path') throw error;
    return putAs(plain(file.name), file);
  }
}

async function putAs(wanted: string, file: File): Promise<string> {
  const [, name, ending] = /^(.*?)(\.[^.]*)?$/s.exec(wanted) as unknown as [string, string, string?];
  for (let count = 1; ; count += 1) {
    const path = `${UPLOADS}/${name}${count === 1 ? '' : ` (${count})`}${ending ?? ''}`;
    try {
      return (await client.files.write(path, file, { base: null })).path;
    } catch (error) {
      if (!isTaken(error) || count === NAMES) throw error;
    }
  }
}

/** A name that was refused, without what some systems do not allow, or do not mean as a file. */
function plain(name: string): string {
  const cleaned = name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]/gu, '_')
    .replaceAll(/^ +|[. ]+$/g, '');
  return cleaned === name || cleaned === '' ? `_${cleaned}` : cleaned;
}

/** Also where a name is the same but for its spelling. */
function isTaken(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'version_conflict' || error.status === 409);
}
