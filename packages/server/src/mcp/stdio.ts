// A server as a child process that speaks over its stdin and stdout, a JSON-RPC message a line. The SDK's own
// transport signals only the process that it spawned; here the whole process group ends, and nothing is left behind.

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
  /** Ends it at once; the reason is what `ending` tells. */
  readonly kill: (reason: string) => void;
  /** How it ended, with the last words of its stderr; null while it runs. */
  readonly ending: () => string | null;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** How long output may still arrive from a process that is gone. */
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
      // Nobody is left in the group, or (EPERM) nobody who listens to us.
      if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
  };

  const transport: StdioTransport = {
    start: () =>
      new Promise((resolve, reject) => {
        const { args, env, cwd } = command;
        // A group of its own: what the server starts ends with it, and a Ctrl-C at the terminal is not meant for it.
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
      // One that even SIGKILL does not end is not waited for.
      const enough = new Promise((resolve) => timers.push(setTimeout(resolve, STOP_MS * 3)));
      await Promise.race([closed, enough]);
      timers.forEach(clearTimeout);
    },
    ending: () => {
      if (ended === null) return null;
      const words = lastWords.toString('utf8').trim();
      return words === '' ? ended : `${ended}; its last words: ${words}`;
    },
  };

  function listen(started: Child): void {
    const lines = splitLines((line) => {
      if (killed !== null) return;
      gate.message();
      if (line === null) return transport.kill(`it sent a message of more than ${MESSAGE_BYTES} bytes`);
      let message;
      try {
        message = deserializeMessage(line);
      } catch {
        // Servers print to stdout what belongs to stderr: what is no message is nobody's answer.
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
    // A process that ended does not read: its exit says so better.
    started.stdin.on('error', () => undefined);
    started.once('exit', (code, by) => {
      ended = killed ?? (by === null ? `it ended with code ${code}` : `it was ended by ${by}`);
      // Before anybody can get its number: what it started and left behind goes too.
      signal('SIGKILL');
      guard.remove(started.pid!);
      // Somebody who left the group may hold the pipe open.
      const late = setTimeout(() => started.stdout.destroy() && started.stderr.destroy(), LAST_OUTPUT_MS);
      started.once('close', () => {
        clearTimeout(late);
        transport.onclose?.();
      });
    });
  }
  return transport;
}

/** Calls back with each line, or with null when there is more of one than a message may have. */
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
