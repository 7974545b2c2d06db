// Swaps the folder `a` of a tree with a link to a folder outside, again and again, until it is killed.

import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const [root, outside] = process.argv.slice(2) as [string, string];
const [folder, aside] = [join(root, 'a'), join(root, 'swap-aside')];
process.on('disconnect', () => process.exit(1));
process.send!('ready');

function swap(): void {
  for (let count = 0; count < 200; count += 1) {
    done(() => renameSync(folder, aside));
    done(() => symlinkSync(outside, folder));
    done(() => unlinkSync(folder));
    // Where the other side made a new one meanwhile, that one stays.
    if (!done(() => renameSync(aside, folder))) rmSync(aside, { recursive: true, force: true });
  }
  setImmediate(swap);
}

function done(step: () => void): boolean {
  try {
    step();
    return true;
  } catch {
    return false;
  }
}

swap();
