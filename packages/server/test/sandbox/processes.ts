// Processes of the machine, found by their command lines.

import { readdirSync, readFileSync } from 'node:fs';

/** The processes whose command line begins with this text. */
export function running(text: string): readonly string[] {
  return processesWhere((line) => line.startsWith(text));
}

export function processesWhere(isIt: (commandLine: string) => boolean): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return isIt(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

let lastSleep = 70_000 + (process.pid % 1000) * 10;
/** A tree of processes that ignores signals and outlives its parents; a second command line to find it by. */
export function stubborn(): { readonly command: string; readonly name: string } {
  lastSleep += 1;
  const name = `sleep ${lastSleep}`;
  const command = `trap '' TERM INT HUP; (setsid ${name} & ${name} &) & ${name} & wait; while :; do sleep 1; done`;
  return { command, name };
}
