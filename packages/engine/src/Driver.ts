// A driver connects the engine to a model: it turns one message into a stream of events.
//
// A driver may be an async generator. It ends its stream with `message_stop`, `stream_error` or
// `stream_interrupted`; the engine reads no further than that and closes the iterator.
// If a driver throws, or stops without such an event, the engine adds a `stream_error`.

import type { StreamEvent } from './events.ts';

export interface UserMessage {
  readonly id: string;
  readonly role: 'user';
  readonly content: string;
}

export type Driver<Message = UserMessage> = (message: Message) => AsyncIterable<StreamEvent>;
