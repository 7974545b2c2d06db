// CPU time of processes, from /proc: what they used themselves and what their ended children used.

import { readdirSync, readFileSync } from 'node:fs';

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** The kernel counts in hundredths of a second, on every architecture that we run on. */
const TICK_MS = 10;

/** Milliseconds of CPU that a process and everything below it have used since they began. */
export function treeCpuMs(root: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat !== null);
  const children = Map.groupBy(stats, (stat) => stat.parent);
  let ticks = 0;
  const waiting = stats.filter((stat) => stat.pid === root);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    ticks += next.ticks;
    waiting.push(...(children.get(next.pid) ?? []));
  }
  return ticks * TICK_MS;
}

function readStat(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name may hold spaces and brackets; what follows it does not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
  return { pid, parent: Number(fields[1]), ticks: utime! + stime! + cutime! + cstime! };
}
