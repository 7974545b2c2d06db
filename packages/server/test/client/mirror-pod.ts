// Starts and ends the processes of ../pod/mirror.ts.

import { fork, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Order } from '../pod/mirror.ts';

const script = fileURLToPath(new URL('../pod/mirror.ts', import.meta.url));

/** Looked up by whoever asks for it. */
export const STRACE = 'strace';

export interface MirrorPod {
  readonly process: ChildProcess;
  readonly exited: Promise<NodeJS.Signals | number | null>;
  readonly warnings: readonly { text: string; [field: string]: unknown }[];
  /** The points at which it stopped itself. */
  readonly hits: readonly string[];
  /** Resolves when the next one is reported. */
  stopped(): Promise<string>;
  /** Rejects if it dies before it answers. */
  ask(order: Omit<Order, 'id'>): Promise<unknown>;
  /** Resolves when the change is in the database, whatever becomes of the disk. */
  begin(order: Omit<Order, 'id'>): { committed: Promise<void>; done: Promise<unknown> };
  end(): Promise<void>;
}

export interface MirrorPodOptions {
  readonly url: string;
  readonly home: string;
  readonly workspaceId: string;
  readonly leaseSeconds?: number;
  /** Runs it under strace with these arguments. */
  readonly strace?: readonly string[];
}

interface Report {
  ready?: true;
  id?: number;
  value?: unknown;
  error?: string;
  hit?: string;
  committed?: number;
  warning?: { text: string };
}

export async function startMirrorPod(options: MirrorPodOptions): Promise<MirrorPod> {
  const args = [options.url, options.home, options.workspaceId, String(options.leaseSeconds ?? 1)];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR };
  const child = options.strace
    ? spawn(STRACE, [...options.strace, process.execPath, script, ...args], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env,
      })
    : fork(script, args, { env });
  const exited = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  const commits = new Map<number, () => void>();
  const warnings: { text: string }[] = [];
  const hits: string[] = [];
  let onHit: ((point: string) => void) | null = null;
  let last = 0;
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (report: Report) => {
      if (report.ready) resolve();
      if (report.warning) warnings.push(report.warning);
      if (report.committed !== undefined) commits.get(report.committed)?.();
      if (report.hit !== undefined) {
        hits.push(report.hit);
        onHit?.(report.hit);
      }
      if (report.id === undefined) return;
      const answer = waiting.get(report.id);
      waiting.delete(report.id);
      if (report.error === undefined) answer?.resolve(report.value);
      else answer?.reject(new Error(report.error));
    });
    void exited.then((how) => {
      reject(new Error(`the pod ended with ${how}`));
      for (const answer of waiting.values()) answer.reject(new Error(`the pod ended with ${how}`));
    });
  });
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(end);
  await ready;
  const begin: MirrorPod['begin'] = (order) => {
    last += 1;
    const id = last;
    const committed = new Promise<void>((resolve) => commits.set(id, resolve));
    const done = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    done.catch(() => undefined);
    child.send({ ...order, id }, () => undefined);
    return { committed, done };
  };
  return {
    process: child,
    exited,
    warnings,
    hits,
    stopped: () => new Promise((resolve) => (onHit = resolve)),
    ask: (order) => begin(order).done,
    begin,
    end,
  };
}
