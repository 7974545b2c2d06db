// A proxy in front of Postgres that cuts a connection at a chosen statement: before the statement reaches
// Postgres, while Postgres executes it, or when its response is in flight.
//
// It reads just enough of the protocol: where messages begin and end, the name in a Bind, the text of a Query.
// The clients send one statement at a time and wait for its answer, so a statement is all that lies between
// two answers.

import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Moment = 'before' | 'during' | 'after';

export interface Cut {
  /** `append`, `claim`, … by a prepared statement's name; `commit:x` ends a transaction in which x ran. */
  readonly statement: string;
  readonly moment: Moment;
  /** All connections through this proxy, not only the one that ran the statement. */
  readonly all?: boolean;
}

/** Holds a commit up, so that a connection can be cut in the middle of it. */
export interface Obstacle {
  raise(): Promise<void>;
  /** Resolves to true when the server process waits at the obstacle, to false if it `ended` without coming there. */
  reached(backend: number, ended: () => boolean): Promise<boolean>;
  /** Resolves when somebody waits for what that process is about to commit, or after a while. */
  contested(backend: number): Promise<void>;
  lower(): Promise<void>;
}

export interface CuttingProxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /** Cuts at the next such statement; resolves to false if it was not at the wanted moment. */
  cut(cut: Cut): Promise<boolean>;
  /** Nothing passes any more, and nobody is told. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

interface Armed extends Cut {
  done(asWanted: boolean): void;
}

export async function startCuttingProxy(databaseUrl: string, obstacle?: Obstacle): Promise<CuttingProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'cut-'));
  const target = addressOf(databaseUrl);
  const links = new Set<Link>();
  let armed: Armed | null = null;
  let frozen = false;
  const take = (statement: string): Armed | null => {
    if (armed?.statement !== statement) return null;
    const taken = armed;
    armed = null;
    return taken;
  };
  const cutAll = () => {
    for (const link of links) link.destroy();
  };
  const server = createServer((client) => {
    const link = new Link({ client, server: createConnection(target), take, cutAll, obstacle });
    links.add(link);
    if (frozen) link.freeze();
    link.onEnd = () => links.delete(link);
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  return {
    url: through(databaseUrl, folder),
    cut: (cut) => new Promise((done) => (armed = { ...cut, done })),
    freeze: () => {
      frozen = true;
      for (const link of links) link.freeze();
    },
    thaw: () => {
      frozen = false;
      for (const link of links) link.thaw();
    },
    close: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function addressOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432));
  return host.startsWith('/')
    ? { path: join(host, `.s.PGSQL.${port}`) }
    : { host: host || '127.0.0.1', port };
}

function through(databaseUrl: string, folder: string): string {
  const url = new URL(databaseUrl);
  const query = new URLSearchParams(url.searchParams);
  query.set('host', folder);
  query.set('port', '5432');
  query.set('sslmode', 'disable');
  if (url.username) query.set('user', decodeURIComponent(url.username));
  if (url.password) query.set('password', decodeURIComponent(url.password));
  return `postgres://${url.pathname}?${query.toString()}`;
}

interface LinkOptions {
  readonly client: Socket;
  readonly server: Socket;
  readonly take: (statement: string) => Armed | null;
  readonly cutAll: () => void;
  readonly obstacle: Obstacle | undefined;
}

/** One client's connection, and the one behind it. */
class Link {
  readonly #options: LinkOptions;
  readonly #fromClient = new Messages('startup');
  readonly #fromServer = new Messages('typed');
  /** The messages of the statement that is being read, and its name. */
  #statement: Buffer[] = [];
  #name = '';
  /** What ran in the open transaction. */
  #ran: string | null = null;
  #backend = 0;
  #work: Promise<void> = Promise.resolve();
  #answered: (() => void) | null = null;
  #state: 'open' | 'deaf' | 'ended' = 'open';
  onEnd: () => void = () => undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    const { client, server } = options;
    client.on('data', (chunk) => this.#fromClient.add(chunk, (message) => this.#ask(message)));
    server.on('data', (chunk) => this.#answer(chunk));
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => this.destroy());
    }
  }

  destroy(): void {
    // A server process that is being held up in its commit must be left alone.
    if (this.#state === 'deaf') return void this.#options.client.destroy();
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#options.client.destroy();
    this.#options.server.destroy();
    this.#answered?.();
    this.onEnd();
  }

  freeze(): void {
    this.#options.client.pause();
    this.#options.server.pause();
  }

  thaw(): void {
    this.#options.client.resume();
    this.#options.server.resume();
  }

  #ask(message: Buffer): void {
    const type = this.#fromClient.startedUp ? String.fromCharCode(message[0]!) : 'startup';
    this.#statement.push(message);
    if (type === 'B') this.#name = bindName(message);
    if (type === 'Q') this.#name = message.toString('utf8', 5, message.length - 1).toLowerCase();
    // Parse, Bind, Describe, Execute and Close are sent on with the Sync that follows them.
    if ('PBDEC'.includes(type)) return;
    const bytes = Buffer.concat(this.#statement);
    const name = this.#called();
    this.#statement = [];
    this.#name = '';
    this.#work = this.#work.then(() => this.#pass(name, bytes));
  }

  #called(): string {
    const name = this.#name;
    if (name === 'begin') this.#ran = '';
    else if (this.#ran === '' && (name === 'append' || name === 'enqueue_run')) this.#ran = name;
    else if (name === 'commit' || name === 'rollback') {
      const ran = this.#ran ?? '';
      this.#ran = null;
      return `${name}:${ran}`;
    }
    // Inside a transaction nothing is committed yet: only its commit counts.
    return this.#ran === null ? name : '';
  }

  async #pass(name: string, bytes: Buffer): Promise<void> {
    if (this.#state !== 'open') return;
    const cut = this.#options.take(name);
    if (!cut) return void this.#options.server.write(bytes);
    const asWanted = await this.#cut(cut, bytes);
    if (cut.all) this.#options.cutAll();
    cut.done(asWanted);
  }

  async #cut({ moment }: Armed, bytes: Buffer): Promise<boolean> {
    if (moment === 'before') {
      this.destroy();
      return true;
    }
    const { obstacle } = this.#options;
    if (moment === 'during' && obstacle) await obstacle.raise();
    // From here on the client hears nothing, and the server process is left alone.
    this.#state = 'deaf';
    let ended = false;
    const answered = new Promise<void>((resolve) => (this.#answered = resolve)).then(() => (ended = true));
    this.#options.server.write(bytes);
    const held = moment === 'during' && obstacle ? await this.#hold(obstacle, () => ended) : null;
    if (held === null) await answered;
    this.#state = 'open';
    this.destroy();
    return held ?? true;
  }

  /** Cuts the client off while the server process waits in its commit. */
  async #hold(obstacle: Obstacle, ended: () => boolean): Promise<boolean> {
    const held = await obstacle.reached(this.#backend, ended);
    this.#options.client.destroy();
    if (held) await obstacle.contested(this.#backend);
    await obstacle.lower();
    return held;
  }

  #answer(chunk: Buffer): void {
    if (this.#state === 'open') this.#options.client.write(chunk);
    this.#fromServer.add(chunk, (message) => {
      const type = String.fromCharCode(message[0]!);
      // BackendKeyData names the server process; ReadyForQuery ends every answer.
      if (type === 'K') this.#backend = message.readInt32BE(5);
      if (type === 'Z') this.#answered?.();
    });
  }
}

function bindName(message: Buffer): string {
  const portalEnd = message.indexOf(0, 5);
  return message.toString('utf8', portalEnd + 1, message.indexOf(0, portalEnd + 1));
}

/** Cuts a stream into messages: a type, a length, a body. The very first of a client has no type. */
class Messages {
  #rest: Buffer[] = [];
  #length = 0;
  startedUp: boolean;

  constructor(kind: 'startup' | 'typed') {
    this.startedUp = kind === 'typed';
  }

  add(chunk: Buffer, each: (message: Buffer) => void): void {
    this.#rest.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted()) return;
    let bytes = Buffer.concat(this.#rest);
    for (let size = this.#sizeOf(bytes); size <= bytes.length; size = this.#sizeOf(bytes)) {
      each(bytes.subarray(0, size));
      this.startedUp = true;
      bytes = bytes.subarray(size);
    }
    this.#rest = bytes.length > 0 ? [bytes] : [];
    this.#length = bytes.length;
  }

  /** How many bytes the next message needs, as far as the first piece tells. */
  #wanted(): number {
    return this.#sizeOf(this.#rest[0]!, 0);
  }

  #sizeOf(bytes: Buffer, unknown = Infinity): number {
    const at = this.startedUp ? 1 : 0;
    return bytes.length < at + 4 ? unknown : at + bytes.readInt32BE(at);
  }
}
