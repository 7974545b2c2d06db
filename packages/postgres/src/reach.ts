import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether a user who owns none of them can enter a folder and all its parents. */
export function othersCanEnter(folder: string): boolean {
  try {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  } catch {
    return false;
  }
  const parent = dirname(folder);
  return parent === folder || othersCanEnter(parent);
}
