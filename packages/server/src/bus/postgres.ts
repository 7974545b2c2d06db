// The bus on Postgres: one channel for all topics. The bus listens on the connection that holds the pod's lock.
//
// - A notification is `<sender> <topic> <message>`. Without a message, the message was too long, and subscribers rescan.
// - A pod ignores its own notifications: its subscribers already have the message.
// - While there is no other pod, nothing is sent.
// - One NOTIFY statement is in flight at a time. Messages that are published meanwhile are sent together by the next one.

import { randomBytes } from 'node:crypto';
import type { Connection, Queryable } from '../db/pool.ts';
import type { Bus, Origin, Subscriber, Topic } from './bus.ts';

const CHANNEL = 'continuo';
/** Postgres refuses notifications of 8000 bytes and more. */
const MOST_BYTES = 7999;

/** The SQL expression that sends what `payload` returned, for a statement that has it as a parameter. */
export function notifySql(parameter: string): string {
  return `pg_notify('${CHANNEL}', ${parameter})`;
}

export interface PostgresBusOptions {
  readonly pool: Queryable;
  /** Whether there is no other pod. */
  readonly alone: () => boolean;
  /** A subscriber threw, or a notification could not be sent. */
  readonly onError: (error: Error) => void;
}

interface Registered {
  readonly topic: Topic<unknown>;
  readonly subscribers: Set<Subscriber<unknown>>;
}

export class PostgresBus implements Bus {
  readonly #options: PostgresBusOptions;
  /** Distinguishes this pod's notifications from those of other pods. */
  readonly #sender = randomBytes(6).toString('base64url');
  readonly #topics = new Map<string, Registered>();
  #listening: Connection | null = null;
  /** The payloads of the next NOTIFY statement, without duplicates. `#next` resolves when they have been sent. */
  #waiting = new Set<string>();
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(options: PostgresBusOptions) {
    this.#options = options;
  }

  subscribe<Message>(topic: Topic<Message>, subscriber: Subscriber<Message>): () => void {
    const known = this.#topics.get(topic.name);
    if (known && known.topic !== topic) throw new Error(`two topics are named ${topic.name}`);
    const { subscribers } = known ?? { subscribers: new Set<Subscriber<unknown>>() };
    if (!known) this.#topics.set(topic.name, { topic: topic, subscribers });
    subscribers.add(subscriber);
    return () => subscribers.delete(subscriber);
  }

  publish<Message>(topic: Topic<Message>, message: Message): Promise<void> {
    this.deliver(topic, message);
    return this.tellOthers(topic, message);
  }

  tellOthers<Message>(topic: Topic<Message>, message: Message): Promise<void> {
    const payload = this.payload(topic, message);
    if (payload === null) return Promise.resolve();
    this.#waiting.add(payload);
    this.#next ??= this.#last = this.#last.then(() => this.#send());
    return this.#next;
  }

  async publishIn<Message>(client: Queryable, topic: Topic<Message>, message: Message): Promise<() => void> {
    await client.query({
      name: 'notify',
      text: `select ${notifySql('$1')}`,
      values: [this.#encode(topic, message)],
    });
    return () => this.deliver(topic, message);
  }

  deliver<Message>(topic: Topic<Message>, message: Message): void {
    this.#hand(topic.name, message, 'here');
  }

  payload<Message>(topic: Topic<Message>, message: Message): string | null {
    return this.#options.alone() ? null : this.#encode(topic, message);
  }

  /** Listens on this connection instead of an earlier one. Messages in between are lost, so the caller must call `rescan`. */
  async listenOn(connection: Connection): Promise<void> {
    this.#listening = connection;
    connection.on('notification', ({ channel, payload = '' }) => {
      if (channel === CHANNEL && this.#listening === connection) this.#hear(payload);
    });
    await connection.query(`listen ${CHANNEL}`);
  }

  /** Tells every subscriber that messages may have been lost. */
  rescan(): void {
    for (const { subscribers } of this.#topics.values()) this.#rescan(subscribers);
  }

  #encode<Message>(topic: Topic<Message>, message: Message): string {
    const start = `${this.#sender} ${topic.name}`;
    const payload = `${start} ${topic.encode(message)}`;
    return Buffer.byteLength(payload) > MOST_BYTES ? start : payload;
  }

  async #send(): Promise<void> {
    const payloads = [...this.#waiting];
    this.#waiting = new Set();
    this.#next = null;
    try {
      await this.#options.pool.query({
        name: 'notify_all',
        text: `select ${notifySql('payload')} from unnest($1::text[]) as payload`,
        values: [payloads],
      });
    } catch (error) {
      this.#options.onError(error as Error);
    }
  }

  #hear(payload: string): void {
    const [start, sender, name] = /^([^ ]*) ([^ ]*)/.exec(payload) ?? [];
    if (start === undefined || sender === this.#sender) return;
    // A pod of another version may have topics that this one does not know.
    const known = this.#topics.get(name!);
    if (!known) return;
    if (payload.length === start.length) return this.#rescan(known.subscribers);
    this.#guard(() =>
      this.#hand(known.topic.name, known.topic.decode(payload.slice(start.length + 1)), 'elsewhere'),
    );
  }

  #hand(name: string, message: unknown, origin: Origin): void {
    for (const subscriber of this.#topics.get(name)?.subscribers ?? [])
      this.#guard(() => subscriber.message(message, origin));
  }

  #rescan(subscribers: ReadonlySet<Subscriber<unknown>>): void {
    for (const subscriber of subscribers) this.#guard(() => subscriber.rescan());
  }

  #guard(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#options.onError(error as Error);
    }
  }
}
