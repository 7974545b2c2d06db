// Uploads files of this computer to the workspace, each under a free name, and attaches them to a message.

import { ApiError } from '@continuo/client';
import { client } from '../data/client.ts';

/** The folder for uploads. */
const UPLOADS = '/uploads';
/** How many names are tried for a file whose name is taken. */
const MAX_NAMES = 100;

interface UploadOptions {
  readonly attach: (path: string) => void;
  /** The errors of the last files; null if there are none. */
  readonly report: (problem: string | null) => void;
}

export function uploader({ attach, report }: UploadOptions) {
  const all = async (files: Iterable<File>): Promise<void> => {
    const problems: string[] = [];
    report(null);
    for (const file of files) {
      try {
        attach(await upload(file));
      } catch (error) {
        problems.push(`${file.name}: ${(error as Error).message}`);
        report(problems.join(' '));
      }
    }
  };
  /** Uploads pasted or dropped files, if there are any. */
  const fromEvent = (event: { preventDefault(): void }, { files }: DataTransfer): void => {
    if (files.length === 0) return;
    event.preventDefault();
    void all([...files]);
  };
  return { all, fromEvent };
}

async function upload(file: File): Promise<string> {
  try {
    return await uploadAs(file.name, file);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'invalid_path') throw error;
    return uploadAs(portableName(file.name), file);
  }
}

async function uploadAs(wanted: string, file: File): Promise<string> {
  const [, name, ending] = /^(.*?)(\.[^.]*)?$/s.exec(wanted) as unknown as [string, string, string?];
  for (let count = 1; ; count += 1) {
    const path = `${UPLOADS}/${name}${count === 1 ? '' : ` (${count})`}${ending ?? ''}`;
    try {
      return (await client.files.write(path, file, { base: null })).path;
    } catch (error) {
      if (!isTaken(error) || count === MAX_NAMES) throw error;
    }
  }
}

/**
 * A portable version of a refused name: without characters that some systems do not allow, and without reserved names.
 */
function portableName(name: string): string {
  const cleaned = name
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]/gu, '_')
    .replaceAll(/^ +|[. ]+$/g, '');
  return cleaned === name || cleaned === '' ? `_${cleaned}` : cleaned;
}

/** Also true if the names differ only in case or Unicode form. */
function isTaken(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'version_conflict' || error.status === 409);
}
