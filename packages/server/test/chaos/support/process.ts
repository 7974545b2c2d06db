// What the kernel says about a process.

import { readFileSync } from 'node:fs';

/** Resident memory, in MiB. */
export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** The processor time that it has used, in clock ticks. */
function ticks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Resolves when the process has had nothing to do for half a second. */
export async function rests(pid: number): Promise<void> {
  let idle = 0;
  for (let before = ticks(pid); idle < 10;) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = ticks(pid);
    idle = now - before <= 1 ? idle + 1 : 0;
    before = now;
  }
}

/** What waits in the sockets of a TCP port on loopback, to be sent or to be read, in MiB. */
export function queuedMiB(port: string): number {
  const wanted = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  let bytes = 0;
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local, remote, state, queues] = line.trim().split(/\s+/);
    if (state !== '01' || !(local?.endsWith(wanted) || remote?.endsWith(wanted))) continue;
    for (const queue of queues!.split(':')) bytes += parseInt(queue, 16);
  }
  return bytes / 2 ** 20;
}
