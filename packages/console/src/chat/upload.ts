// Uploads files of this computer to the workspace, each under a free name, and attaches them to a message.

import { uploadInto } from '../files/upload-file.ts';

/** The folder for uploads. */
const UPLOADS = '/uploads';

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
        attach(await uploadInto(UPLOADS, file.name, file));
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
