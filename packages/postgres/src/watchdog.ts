/**
 * The watchdog stops the server when no pod is left, however the pods ended.
 *
 * Every pod holds a named pipe open for writing; the watchdog reads it. The kernel closes the ends of dead pods, and wakes
 * the watchdog when the last one is closed, so there is nothing to poll and no process id to confuse. The watchdog is a
 * shell, because it lives as long as the server and should use almost no memory.
 *
 * 1. A pod writes a line after it has opened the pipe. To stop the server, the watchdog first renames the pipe. A pod that
 *    arrives at that moment has either opened the pipe before the rename, so that its line (or its end) arrives and the
 *    watchdog undoes the rename; or it finds no pipe, and waits until the server is down.
 * 2. If the pipe has a reader, a watchdog is alive.
 * 3. A pod announces when it starts a server, and when that start has succeeded or failed: a server that was just started may
 *    not have written its postmaster.pid yet.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Paths } from './paths.ts';

export type Word = 'starting' | 'settled' | 'present';

const SCRIPT = `
PATH=$PATH:/usr/bin:/bin
pods=$1 closing=$2 data=$3 socket=$4
[ -p "$pods" ] || mkfifo -m 600 "$pods" || exit 1
exec 3<"$pods" || exit 1

runs() {
  kill -0 "$1" 2>/dev/null || return 1
  if [ -r "/proc/$1/stat" ]; then
    read -r _ name condition _ <"/proc/$1/stat" || return 1
    [ "$name" = "(postgres)" ] && [ "$condition" != Z ] || return 1
    [ ! -e "/proc/$1/cwd" ] || [ "/proc/$1/cwd" -ef "$data" ]
  else
    case $(ps -p "$1" -o comm=) in *postgres) ;; *) return 1 ;; esac
  fi
}

hear() {
  read -r word <&3 || return 1
  [ "$word" = present ] || state=$word
}

state=
while :; do
  while hear; do :; done
  mv "$pods" "$closing" 2>/dev/null
  hear || break
  mv "$closing" "$pods"
done

pid=
[ "$state" != starting ] || [ -f "$data/postmaster.pid" ] || sleep 1
[ ! -f "$data/postmaster.pid" ] || read -r pid <"$data/postmaster.pid"
tries=0
while [ -n "$pid" ] && runs "$pid"; do
  case $tries in
    0) kill -INT "$pid" ;;
    600) kill -QUIT "$pid" ;;
    700) kill -KILL "$pid" ;;
  esac
  tries=$((tries + 1))
  sleep 0.05
done
[ -z "$pid" ] || rmdir "$socket" 2>/dev/null
rm -f "$closing"
`;

export function spawnWatchdog(paths: Paths, socketFolder: string): ChildProcess {
  const places = [paths.pods, paths.closing, paths.data, socketFolder];
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'continuo-watchdog', ...places], {
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: 'ignore',
  });
  child.unref();
  return child;
}
