// Runs the commands of runs: as many at once as there are cores, the others wait their turn. A command sees the
// workspace's folder on disk, and what it writes there goes to a layer of its own, whose difference is kept as a proposal.

import { createWriteStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Pool } from '../db/pool.ts';
import { FairLimiter } from '../limits/fair-limiter.ts';
import { lastChange, readChanges } from '../files/changes.ts';
import { findFiles } from '../files/files.ts';
import { sha256 } from '../files/content.ts';
import type { Workspaces } from '../files/workspace-files.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { CallContext } from '../tools/tool.ts';
import { readDifference, type Difference, type LeftOut } from './difference.ts';
import { endExecution, EXECUTION_CHANGED, recordOutput, startExecution } from './executions.ts';
import { LIMITS, type Limits } from './limits.ts';
import { isShownWhole, Output, withoutColors } from './output.ts';
import { openProxy } from './proxy.ts';
import type { Limit, Runner } from './runner.ts';
import { createVolumes } from './volumes.ts';

/** How often the output of a running command is stored for people who watch, and how much of its end. */
const PROGRESS_MS = 500;
const PROGRESS_CHARACTERS = 16 * 1024;
/** How many changes by others during a command are read at once. */
const CHANGES_PAGE = 10_000;

interface Command {
  readonly command: string;
  /** Inside the sandbox, absolute. */
  readonly cwd: string;
  /** A folder of the workspace without slashes at its ends; '' for all of it. */
  readonly slice: string;
  readonly env: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** The hosts that it may reach. */
  readonly network: readonly string[];
}

export interface CommandResult {
  readonly output: string;
  readonly outputBytes: number;
  readonly exitCode: number | null;
  readonly endedBy: Limit | null;
  readonly milliseconds: number;
  readonly cpuSeconds: number;
  readonly changes: readonly { readonly path: string; readonly base: number; readonly size: number }[];
  readonly leftOut: readonly LeftOut[];
  /** Where the next commands of the chat find the output that was kept, if a model is shown only a part of it. */
  readonly outputFile: string | null;
}

const NOT_RUN = {
  output: '',
  outputBytes: 0,
  exitCode: null,
  endedBy: null,
  leftOut: [],
  changes: [],
} as const;

export interface Sandbox {
  readonly runner: string;
  run(command: Command, context: CallContext): Promise<CommandResult>;
  /** Removes what earlier servers left. */
  tidy(): Promise<void>;
  /** Resolves when no command is left. The caller has canceled them all. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  readonly pool: Pool;
  readonly bus: Bus;
  readonly workspaces: Pick<Workspaces, 'mirrors'>;
  readonly home: string;
  readonly runner: Runner;
  readonly outgoing: Pick<Outgoing, 'connect'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly limits?: Limits | undefined;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const { pool, bus, workspaces, runner, log, limits = LIMITS } = options;
  const volumes = createVolumes(join(options.home, 'sandbox'), runner.owner);
  const places = new FairLimiter(availableParallelism());
  const running = new Set<Promise<unknown>>();

  return {
    runner: runner.name,
    run: (command, context) => {
      const work = places.run(context.workspaceId, context.signal, () => inLayers(command, context));
      running.add(work);
      return work.finally(() => running.delete(work));
    },
    tidy: () => volumes.tidy(pool),
    close: async () => void (await Promise.allSettled(running)),
  };

  async function inLayers(command: Command, context: CallContext): Promise<CommandResult> {
    const { workspaceId, threadId, runId, callId } = context;
    await startExecution(pool, { workspaceId, threadId, runId, callId, ...command });
    await announce(context);
    const since = await lastChange(pool, workspaceId);
    const workspace = await workspaces.mirrors.folder(workspaceId);
    const layers = await volumes.open(threadId);
    const started = performance.now();
    const output = new Output();
    const whole = createWriteStream(layers.output, { mode: 0o644 });
    const isWhole = finished(whole).then(
      () => true,
      (error: Error) => {
        log.warn({ reason: error.message }, 'the whole output of a command could not be kept');
        return false;
      },
    );
    const progress = showProgress(context, output);
    const proxy =
      command.network.length === 0
        ? null
        : await openProxy({
            hosts: command.network,
            connect: options.outgoing.connect,
            owner: runner.owner,
          });
    try {
      const ending = await runner.run({
        ...command,
        folders: { ...layers, workspace },
        proxy: proxy?.folder ?? null,
        limits,
        milliseconds: command.seconds * 1000,
        signal: context.signal,
        onOutput: (piece) => {
          output.add(piece);
          whole.write(piece);
          progress.later();
        },
      });
      whole.end();
      const milliseconds = Math.round(performance.now() - started);
      await progress.stop();
      const difference = await readDifference(layers.upper, command.slice);
      const changes = await changedSince(workspaceId, since, difference);
      const text = output.text();
      const result = {
        output: withoutColors(text),
        outputBytes: output.size,
        exitCode: ending.kind === 'exited' ? ending.code : null,
        endedBy: ending.kind === 'killed' ? ending.by : null,
        leftOut: difference.leftOut,
      };
      await endExecution(pool, context, { ...result, output: text, changes, workspaceId, threadId });
      await announce(context);
      return {
        ...result,
        outputFile: isShownWhole(result.output) || !(await isWhole) ? null : await layers.keepOutput(),
        milliseconds,
        cpuSeconds: ending.cpuSeconds,
        changes: changes.map(({ path, base, content }) => ({ path: path.path, base, size: content.length })),
      };
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'a command could not be run in the sandbox');
      await endExecution(pool, context, { ...NOT_RUN, workspaceId, threadId });
      await announce(context);
      throw error;
    } finally {
      whole.end();
      await Promise.all([progress.stop(), isWhole]);
      await proxy?.close();
      await layers.remove();
    }
  }

  /** The files whose content differs from the workspace's, each with the version that the command started from. */
  async function changedSince(workspaceId: string, since: number, { files }: Difference) {
    const heads = await findFiles(
      pool,
      workspaceId,
      files.map(({ path }) => path),
    );
    const byOthers = new Map<string, number>();
    for (let after: number | null = since; after !== null;) {
      const page = await readChanges(pool, workspaceId, { after, limit: CHANGES_PAGE });
      for (const { data } of page)
        for (const path of [data.path, data.from])
          if (path !== undefined && !byOthers.has(path)) byOthers.set(path, data.v - 1);
      after = page.length < CHANGES_PAGE ? null : page.at(-1)!.seq;
    }
    return files.flatMap((file) => {
      const head = heads.get(file.path.path);
      if (head && head.hash.equals(sha256(file.content))) return [];
      return [{ ...file, base: byOthers.get(file.path.path) ?? head?.version ?? 0 }];
    });
  }

  function showProgress(id: CallContext, output: Output) {
    let timer: NodeJS.Timeout | null = null;
    let storing: Promise<void> = Promise.resolve();
    const store = async (): Promise<void> => {
      timer = null;
      await recordOutput(pool, id, output.end(PROGRESS_CHARACTERS), output.size);
      await announce(id);
    };
    return {
      later: () => {
        timer ??= setTimeout(() => {
          storing = store().catch((error: Error) =>
            log.warn({ reason: error.message }, 'the output of a running command could not be stored'),
          );
        }, PROGRESS_MS);
      },
      stop: async () => {
        if (timer) clearTimeout(timer);
        await storing;
      },
    };
  }

  async function announce({ workspaceId, runId, callId }: CallContext): Promise<void> {
    await bus.publish(EXECUTION_CHANGED, { workspaceId, key: `${runId}:${callId}` });
  }
}
