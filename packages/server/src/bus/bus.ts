// Publish and subscribe, between the concepts of one pod and between the pods that share a database. A concept declares
// its topics, publishes a message when it changes something, and subscribes to the topics of others.
//
// - B1 A message says that something changed and where to look. It is stored nowhere and may be lost, so a subscriber
//   reads the change itself from the database.
// - B2 Subscribers on the publishing pod get a message at once. They must not get it before the change is committed.
// - B3 Messages that a pod publishes with `publish` and `tellOthers` reach another pod in the order of these calls.
// - B4 When messages may have been lost, or one was too long to send, the bus calls every subscriber's `rescan`,
//   and the subscriber reads everything that it tracks.
// - B5 If a subscriber throws, the error is reported, and the other subscribers still get the message.

import type { Queryable } from '../db/pool.ts';

/** Encodes messages for other pods. A message is small: an id or two. */
export interface Codec<Message> {
  encode(message: Message): string;
  /** Throws if the text is not a message of the topic. */
  decode(text: string): Message;
}

export interface Topic<Message> extends Codec<Message> {
  /** Unique, such as `files.changed`. */
  readonly name: string;
}

/** Where a message was published: on this pod or on another one. */
export type Origin = 'here' | 'elsewhere';

export interface Subscriber<Message> {
  message(message: Message, origin: Origin): void;
  /** Messages may have been lost. */
  rescan(): void;
}

export interface Bus {
  /** The returned function unsubscribes. */
  subscribe<Message>(topic: Topic<Message>, subscriber: Subscriber<Message>): () => void;
  /**
   * Announces a committed change. Subscribers on this pod get the message before this returns. Resolves when the message
   * has been sent to the other pods. Never rejects: a message may be lost, and the change is committed anyway.
   */
  publish<Message>(topic: Topic<Message>, message: Message): Promise<void>;
  /** Like `publish`, but only for subscribers on other pods. */
  tellOthers<Message>(topic: Topic<Message>, message: Message): Promise<void>;
  /**
   * Announces a change in its transaction: other pods get the message if and when `client` commits. After the commit, the
   * caller calls the returned function to tell the subscribers on this pod.
   */
  publishIn<Message>(client: Queryable, topic: Topic<Message>, message: Message): Promise<() => void>;
  /** Tells only the subscribers on this pod. */
  deliver<Message>(topic: Topic<Message>, message: Message): void;
  /** The encoded message, for a statement that sends it itself; null if there is no other pod. */
  payload<Message>(topic: Topic<Message>, message: Message): string | null;
}

export function defineTopic<Message>(name: string, codec: Codec<Message>): Topic<Message> {
  if (!/^[a-z_]+\.[a-z_]+$/.test(name))
    throw new Error(`topic ${name}: a topic’s name must be <concept>.<what happened>`);
  return { name, ...codec };
}

/** For messages with one field, such as an id. */
export function oneField<Field extends string>(field: Field): Codec<{ readonly [name in Field]: string }> {
  return {
    encode: (message) => message[field],
    decode: (text) => ({ [field]: text }) as { readonly [name in Field]: string },
  };
}

/** For messages without content: the topic says everything. */
export const noFields: Codec<null> = { encode: () => '', decode: () => null };
