// Downloads files. They are fetched, because a plain link would not send the API key.

import { client } from '../data/client.ts';
import { nameOf } from './file-search.ts';

export async function download(path: string, version?: number): Promise<void> {
  const { response } = await client.files.read(path, { version });
  keep(await response.blob(), nameOf(path));
}

export async function downloadFolder(path: string): Promise<void> {
  const response = await client.files.pack(path);
  keep(await response.blob(), `${nameOf(path) || 'files'}.zip`);
}

/** Downloads what the page has already. */
export function keep(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started the download by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
