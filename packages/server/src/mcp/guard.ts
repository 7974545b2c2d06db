// Ends the process groups of MCP servers when this process dies, for whatever reason. A server's stdin closes then, and most
// servers exit; the guard kills the others. The guard is a shell that reads a pipe which only this process writes: the kernel
// closes the pipe, so there is nothing to poll. One guard serves all servers of a pod.

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';

export interface Guard {
  add(group: number): void;
  remove(group: number): void;
  close(): void;
}

const SCRIPT = `
PATH=$PATH:/usr/bin:/bin
groups=
while read -r word group; do
  if [ "$word" = add ]; then
    groups="$groups $group"
  else
    rest=
    for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
    groups=$rest
  fi
done
[ -n "$groups" ] || exit 0
sleep 2
for each in $groups; do kill -s KILL -- "-$each" 2>/dev/null; done
`;

type Child = ChildProcessByStdio<Writable, null, null>;

export function createGuard(onTrouble: (error: Error) => void): Guard {
  let child: Child | null = null;

  const start = (): Child => {
    const started = spawn('/bin/sh', ['-c', SCRIPT, 'continuo-mcp-guard'], {
      cwd: '/',
      detached: true,
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    started.on('error', onTrouble);
    started.stdin.on('error', onTrouble);
    started.unref();
    return started;
  };
  const say = (word: 'add' | 'remove', group: number) => {
    child ??= start();
    child.stdin.write(`${word} ${group}\n`);
  };
  return {
    add: (group) => say('add', group),
    remove: (group) => say('remove', group),
    close: () => child?.stdin.end(),
  };
}
