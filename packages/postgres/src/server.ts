/**
 * Brings up the server of a home folder: attaches to a running one, waits for one that is starting or stopping, starts one if
 * there is none. Called under the lock, so no other process starts one at the same time; but a server may be stopping, and a
 * killed one may look alive for a moment.
 */
import { existsSync, lstatSync } from 'node:fs';
import { type Answer, ask, createDatabase } from './answer.ts';
import { type Programs, usablePrograms } from './binaries.ts';
import { createCluster, handOver, inspectCluster } from './cluster.ts';
import { EmbeddedDatabaseError, OTHER_DATABASE } from './errors.ts';
import { serverIdentities } from './identity.ts';
import { boundLog } from './log-file.ts';
import { findBinaries } from './package.ts';
import type { Paths } from './paths.ts';
import { recordPlace, refuseElsewhere } from './place.ts';
import {
  clearStalePid,
  endOrphans,
  livePostmaster,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';
import { makeSocketFolder, refuseForeign, removeSocketFolder, socketIn } from './socket.ts';
import { until } from './wait.ts';

export interface ServerPlan {
  readonly paths: Paths;
  /** The folder for the socket if a server must be started. */
  readonly socketFolder: string;
  readonly binaries: string | undefined;
  /** Whether commits wait for the disk. */
  readonly durable: boolean;
  /** Whether other pods were already registered. */
  readonly shared: boolean;
  readonly log: (line: string) => void;
}

export interface RunningServer {
  readonly started: boolean;
  readonly socketFolder: string;
}

/** Crash recovery of a large database takes minutes, during which the server answers "not now". */
const START_TIMEOUT_MS = 10 * 60_000;
/** How long a live server may refuse connections before it counts as lost. */
const LONGEST_SILENCE = 30_000;
/** How long the remains of a killed server may block a new one. */
const LONGEST_OBSTACLE = 60_000;

export async function bringUp(plan: ServerPlan): Promise<RunningServer> {
  const now = performance.now();
  const seen: Seen = { launched: undefined, began: now, heard: now };
  const running = await until({ limit: START_TIMEOUT_MS, first: 5, longest: 100 }, () => {
    const live = livePostmaster(plan.paths.data);
    return live ? join(plan, seen, live) : relaunch(plan, seen);
  });
  if (running) return running;
  throw startFailed(plan, 'it did not answer within ten minutes');
}

/** What one call of `bringUp` has observed so far. */
interface Seen {
  launched: Launched | undefined;
  readonly began: number;
  /** When the server last answered, or was started. */
  heard: number;
}

async function join(plan: ServerPlan, seen: Seen, live: Postmaster): Promise<RunningServer | undefined> {
  const answer = await askIn(live.socketFolder, plan.paths.data);
  if (answer.kind === 'ready') {
    return { started: seen.launched !== undefined, socketFolder: answer.socketFolder };
  }
  if (answer.kind === 'no-database') await createDatabase(answer.socketFolder);
  if (answer.kind !== 'refused') seen.heard = performance.now();
  if (!isLost(live, seen)) return undefined;
  plan.log(`Postgres (process ${live.pid}) cannot be reached at ${answer.socketFolder}; restarting it`);
  await stopPostmaster(plan.paths.data);
  seen.heard = performance.now();
  return undefined;
}

/** Whether the server can no longer be reached: it is silent, or a /tmp cleaner has removed its socket. */
function isLost(live: Postmaster, seen: Seen): boolean {
  if (performance.now() - seen.heard > LONGEST_SILENCE) return true;
  return live.status === 'ready' && !existsSync(socketIn(live.socketFolder ?? ''));
}

async function relaunch(plan: ServerPlan, seen: Seen): Promise<undefined> {
  const { launched } = seen;
  // The new server has not written its postmaster.pid yet.
  if (launched && launched.ended === undefined) return;
  if (launched?.ended !== undefined) clearObstacle(plan, seen, launched.ended);
  seen.launched = await launch(plan);
  seen.heard = performance.now();
}

type Asked = Answer & { readonly socketFolder: string };

async function askIn(socketFolder: string | undefined, data: string): Promise<Asked> {
  if (socketFolder === undefined) return { kind: 'refused', socketFolder: '' };
  try {
    refuseForeign(socketFolder, lstatSync(data).uid);
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError) throw error;
    return { kind: 'refused', socketFolder };
  }
  return { ...(await ask(socketFolder)), socketFolder };
}

/** A server that we started; `ended` is the end of its log after it has stopped. */
interface Launched {
  ended: string | undefined;
}

async function launch(plan: ServerPlan): Promise<Launched> {
  const { paths, socketFolder, durable } = plan;
  if (plan.shared) refuseElsewhere(paths);
  const programs = await prepare(plan);
  clearStalePid(paths.data);
  makeSocketFolder(socketFolder, programs.identity);
  boundLog(paths.log);
  recordPlace(paths);
  plan.log(`starting Postgres in ${paths.data}`);
  const launched: Launched = { ended: undefined };
  void startPostmaster({ paths, programs, socketFolder, durable }).then((tail) => (launched.ended = tail));
  return launched;
}

/** Ensures that there is a cluster, owned by the user that will run the server. */
async function prepare({ paths, binaries, log }: ServerPlan): Promise<Programs> {
  const cluster = inspectCluster(paths.data);
  const owner = cluster.kind === 'present' ? cluster : undefined;
  const programs = await usablePrograms(binaries ?? findBinaries(), serverIdentities(owner), paths.home);
  if (cluster.kind === 'present') {
    handOver(paths.data, programs.identity);
    return programs;
  }
  log(`creating a Postgres database in ${paths.data}`);
  await createCluster(paths, programs);
  return programs;
}

/** Waits for, or clears, the remains of a killed server; throws for any other reason why the server did not start. */
function clearObstacle(plan: ServerPlan, seen: Seen, tail: string): void {
  const lockFile = /lock file .* already exists/.test(tail);
  const sharedMemory = /pre-existing shared memory block/.test(tail);
  const patient = performance.now() - seen.began < LONGEST_OBSTACLE;
  if (patient && sharedMemory) return endOrphans(plan.paths.data, plan.socketFolder);
  if (patient && lockFile) return;
  removeSocketFolder(plan.socketFolder);
  throw startFailed(plan, `its log ends with:\n${tail}`);
}

function startFailed({ paths }: ServerPlan, why: string): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'start-failed',
    `the embedded Postgres in ${paths.data} did not start; see ${paths.log} and fix the cause, ${OTHER_DATABASE}. Cause: ${why}`,
  );
}
