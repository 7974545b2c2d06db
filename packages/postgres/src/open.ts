/**
 * Opens the embedded database of a home folder.
 *
 * 1. A pod registers (pods.ts) under the lock before it looks for the server. From then on no other process stops the
 *    server that it finds.
 * 2. A process that starts or stops the server holds the lock. The watchdog does not, but acts only when no pod is registered.
 * 3. The last pod to release the database waits until the server is down.
 */
import { accessSync, closeSync, constants, existsSync, realpathSync } from 'node:fs';
import { DATABASE } from './answer.ts';
import { inspectCluster, USER } from './cluster.ts';
import { EmbeddedDatabaseError, OTHER_DATABASE } from './errors.ts';
import { makePrivateHome } from './home.ts';
import { withLock } from './lock.ts';
import { boundLog } from './log-file.ts';
import { type Paths, pathsIn } from './paths.ts';
import { abandon, anyPresent, enter, leave, type Presence, settle } from './pods.ts';
import { stopPostmaster } from './postmaster.ts';
import { bringUp, type RunningServer, type ServerPlan } from './server.ts';
import { PORT, removeSocketFolder, socketFolder } from './socket.ts';

export interface EmbeddedOptions {
  /** The server's home folder; the data is in its folder `postgres`. */
  readonly home: string;
  readonly log?: (line: string) => void;
  /** The folder of the Postgres programs; by default the installed package's. */
  readonly binaries?: string;
  /** False: commits do not wait for the disk, so a crash of the machine may cost the database. For tests; true by default. */
  readonly durable?: boolean;
}

export interface EmbeddedDatabase {
  /** Settings for pg: the folder of the unix socket, the user and the database. */
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
    readonly ssl: false;
  };
  /** The same settings as a URL. */
  readonly url: string;
  /** True if this call started the server, false if it was already running. */
  readonly started: boolean;
  /** Call when connections fail: restarts the server if it is gone. */
  ensure(): Promise<void>;
  /** Releases the database. The last pod to do so stops the server before this resolves. */
  release(): Promise<void>;
}

const LOG_CHECK_INTERVAL = 10 * 60_000;

export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    return await open(options);
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError) throw error;
    const message = `the embedded Postgres in ${options.home} did not start; fix the cause, ${OTHER_DATABASE}. Cause: ${String(error)}`;
    throw new EmbeddedDatabaseError('start-failed', message, { cause: error });
  }
}

async function open(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const home = makeHome(options.home);
  const paths = pathsIn(home);
  const plan: ServerPlan = {
    paths,
    socketFolder: socketFolder(home),
    binaries: options.binaries,
    durable: options.durable ?? true,
    shared: false,
    log: options.log ?? (() => undefined),
  };
  // Checked first, so that a refusal leaves nothing behind.
  refuseUnwritable(paths.lock);
  inspectCluster(paths.data);
  const entered = await withLock(paths.lock, () => enterAndBringUp(plan));
  plan.log(entered.started ? 'Postgres is ready' : 'attached to the running Postgres');
  return holdOpen({ ...plan, socketFolder: entered.socketFolder }, entered);
}

interface Entered extends RunningServer {
  readonly presence: Presence;
}

async function enterAndBringUp(plan: ServerPlan): Promise<Entered> {
  const shared = anyPresent(plan.paths);
  const presence = await enter(plan.paths, plan.socketFolder);
  try {
    const server = await bringUp({ ...plan, shared });
    return { ...server, presence: await settle(plan.paths, plan.socketFolder, presence) };
  } catch (error) {
    abandon(presence);
    throw error;
  }
}

function holdOpen(plan: ServerPlan, entered: Entered): EmbeddedDatabase {
  const { paths } = plan;
  let presence: Presence | undefined = entered.presence;
  let ensuring: Promise<void> | undefined;
  let releasing: Promise<void> | undefined;
  const logCheck = setInterval(() => boundLog(paths.log), LOG_CHECK_INTERVAL).unref();

  async function ensure(): Promise<void> {
    if (!presence || releasing) throw released(paths);
    const again = await enter(paths, plan.socketFolder);
    closeSync(presence.descriptor);
    presence = again;
    const { started } = await bringUp(plan);
    presence = await settle(paths, plan.socketFolder, presence);
    if (started) plan.log('Postgres had stopped and was restarted');
  }

  async function release(): Promise<void> {
    clearInterval(logCheck);
    if (!presence) return;
    const last = await leave(paths, presence);
    presence = undefined;
    if (!last) return;
    await stopPostmaster(paths.data);
    removeSocketFolder(plan.socketFolder);
    plan.log('Postgres has stopped');
  }

  return {
    ...addressOf(plan.socketFolder),
    started: entered.started,
    ensure: () =>
      (ensuring ??= withLock(paths.lock, ensure).finally(() => {
        ensuring = undefined;
      })),
    release: () => (releasing ??= withLock(paths.lock, release)),
  };
}

function addressOf(host: string): Pick<EmbeddedDatabase, 'connection' | 'url'> {
  const query = new URLSearchParams({ host, port: String(PORT), user: USER, sslmode: 'disable' });
  return {
    connection: { host, port: PORT, user: USER, database: DATABASE, ssl: false },
    url: `postgres:///${DATABASE}?${query.toString()}`,
  };
}

/** The real path, so that every process uses the same name for the folder. */
function makeHome(home: string): string {
  try {
    makePrivateHome(home);
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(home);
  } catch (cause) {
    throw notWritable(home, cause);
  }
}

function refuseUnwritable(file: string): void {
  if (!existsSync(file)) return;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw notWritable(file, cause);
  }
}

function notWritable(path: string, cause: unknown): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'not-writable',
    `${path} cannot be written by this user; run as the user that owns it, give it to this user with chown -R, or set CONTINUO_HOME to a folder that is writable`,
    { cause },
  );
}

function released(paths: Paths): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    'released',
    `the embedded database of ${paths.home} has been released; open it again`,
  );
}
