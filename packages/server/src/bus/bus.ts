// Publish and subscribe, between the concepts of one pod and between the pods that share a database. A concept declares
// its topics; a function that changes something publishes it; whoever wants to know subscribes.
//
// - B1 A message says that something changed and where to look. It is stored nowhere and may be lost, so a subscriber
//   reads the change itself from the database.
// - B2 Subscribers on the publishing pod hear a message at once. They must not hear it before the change is committed.
// - B3 Messages that a pod publishes with `publish` and `tellOthers` reach another pod in the order of these calls.
// - B4 When messages may have been lost, or one was too long to send, subscribers are told to `rescan`: they look at
//   everything that they know.
// - B5 A subscriber that throws is reported, and the others hear the message all the same.

import type { Queryable } from '../db/pool.ts';

/** How a message is written for other pods. A message is small: an id or two. */
export interface Codec<Message> {
  encode(message: Message): string;
  /** Throws for a text that is not a message of the topic. */
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
  /** Until the returned function is called. */
  subscribe<Message>(topic: Topic<Message>, subscriber: Subscriber<Message>): () => void;
  /**
   * Announces a change that is committed. Subscribers on this pod hear it before this returns. Resolves when the other
   * pods have been told; never rejects, because the change stands whether or not they could be told.
   */
  publish<Message>(topic: Topic<Message>, message: Message): Promise<void>;
  /** The same without the subscribers on this pod. */
  tellOthers<Message>(topic: Topic<Message>, message: Message): Promise<void>;
  /**
   * Announces a change together with its transaction: the other pods hear of it if and when `client` commits. The caller
   * calls the returned function after the commit, for the subscribers on this pod.
   */
  publishIn<Message>(client: Queryable, topic: Topic<Message>, message: Message): Promise<() => void>;
  /** Tells only the subscribers on this pod. */
  deliver<Message>(topic: Topic<Message>, message: Message): void;
  /** The message for other pods, for a statement that sends it itself; null if there is no other pod. */
  payload<Message>(topic: Topic<Message>, message: Message): string | null;
}

export function defineTopic<Message>(name: string, codec: Codec<Message>): Topic<Message> {
  if (!/^[a-z_]+\.[a-z_]+$/.test(name)) throw new Error(`topic ${name}: a name is <concept>.<what happened>`);
  return { name, ...codec };
}

/** For messages with one field, such as an id. */
export function oneField<Field extends string>(field: Field): Codec<{ readonly [name in Field]: string }> {
  return {
    encode: (message) => message[field],
    decode: (text) => ({ [field]: text }) as { readonly [name in Field]: string },
  };
}

/** For messages that say nothing more than their topic does. */
export const noFields: Codec<null> = { encode: () => '', decode: () => null };
