// An MCP server as a child process, with one JSON-RPC message per line on stdin and stdout. The SDK's own transport signals only
// the process that it spawned; this one ends the whole process group and leaves nothing behind.

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { deserializeMessage, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { Gate } from './gate.ts';
import type { Guard } from './guard.ts';
import { MESSAGE_BYTES, STDERR_BYTES, STOP_MS, UNREAD_BYTES } from './limits.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

export interface StdioTransport extends Transport {
  /** Kills the process at once; `ending` then returns the reason. */
  readonly kill: (reason: string) => void;
  /** How the process ended, with the end of its stderr; null while it runs. */
  readonly ending: () => string | null;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How long to wait for remaining output after the process has exited. */
const LAST_OUTPUT_MS = 500;

export function createStdio(command: Command, gate: Gate, guard: Guard): StdioTransport {
  let child: Child | null = null;
  let closed: Promise<void> = Promise.resolve();
  let ended: string | null = null;
  let killed: string | null = null;
  let lastWords = Buffer.alloc(0);

  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-child!.pid!, name);
    } catch (error) {
      // No process is left in the group (ESRCH), or none that we may signal (EPERM).
      if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
  };

  const transport: StdioTransport = {
    start: () =>
      new Promise((resolve, reject) => {
        const { args, env, cwd } = command;
        // A process group of its own: child processes end with the server, and Ctrl-C in the terminal does not reach it.
        const started = spawn(command.command, args, { cwd, env, detached: true, stdio: 'pipe' });
        started.once('error', reject);
        if (started.pid === undefined) return;
        child = started;
        guard.add(started.pid);
        closed = new Promise((done) => started.once('close', () => done()));
        started.once('spawn', resolve);
        listen(started);
      }),
    send: (message) => {
      if (!child || ended !== null) return Promise.reject(new Error('the process has ended'));
      child.stdin.write(serializeMessage(message));
      if (child.stdin.writableLength > UNREAD_BYTES)
        transport.kill(`it left more than ${UNREAD_BYTES} bytes unread`);
      return Promise.resolve();
    },
    kill: (reason) => {
      if (!child || ended !== null) return;
      killed ??= reason;
      signal('SIGKILL');
    },
    close: async () => {
      if (!child) return transport.onclose?.();
      child.stdin.end();
      const timers = (['SIGTERM', 'SIGKILL'] as const).map((name, index) =>
        setTimeout(() => signal(name), STOP_MS * (index + 1)),
      );
      // Gives up on a process that even SIGKILL does not end.
      const enough = new Promise((resolve) => timers.push(setTimeout(resolve, STOP_MS * 3)));
      await Promise.race([closed, enough]);
      timers.forEach(clearTimeout);
    },
    ending: () => {
      if (ended === null) return null;
      const words = lastWords.toString('utf8').trim();
      return words === '' ? ended : `${ended}; the end of its stderr: ${words}`;
    },
  };

  function listen(started: Child): void {
    const lines = splitLines((line) => {
      if (killed !== null) return;
      gate.message();
      if (line === null) return transport.kill(`it sent a message larger than ${MESSAGE_BYTES} bytes`);
      let message;
      try {
        message = deserializeMessage(line);
      } catch {
        // Ignored: servers often print log lines to stdout.
        return;
      }
      transport.onmessage?.(message);
    });
    started.stdout.on('data', (chunk: Buffer) => {
      gate.bytes(chunk.length);
      lines(chunk);
    });
    started.stderr.on('data', (chunk: Buffer) => {
      gate.bytes(chunk.length);
      lastWords = Buffer.concat([lastWords, chunk.subarray(-STDERR_BYTES)]).subarray(-STDERR_BYTES);
    });
    // A write to an ended process fails; its exit is reported anyway.
    started.stdin.on('error', () => undefined);
    started.once('exit', (code, by) => {
      ended = killed ?? (by === null ? `it exited with code ${code}` : `it was killed by ${by}`);
      // Kills the child processes that are left in the group, before the process id can be reused.
      signal('SIGKILL');
      guard.remove(started.pid!);
      // A process that has left the group may still hold the pipes open.
      const late = setTimeout(() => started.stdout.destroy() && started.stderr.destroy(), LAST_OUTPUT_MS);
      started.once('close', () => {
        clearTimeout(late);
        transport.onclose?.();
      });
    });
  }
  return transport;
}

/** Calls `onLine` with each line, or with null if a line exceeds the size of a message. */
function splitLines(onLine: (line: string | null) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;
  const add = (piece: Buffer): boolean => {
    size += piece.length;
    if (size <= MESSAGE_BYTES) pieces.push(piece);
    return size <= MESSAGE_BYTES;
  };
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      onLine(add(chunk.subarray(from, end)) ? Buffer.concat(pieces).toString('utf8') : null);
      pieces = [];
      size = 0;
      from = end + 1;
    }
    if (!add(chunk.subarray(from))) onLine(null);
  };
}
