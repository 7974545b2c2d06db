// What the run loop asks of a model: one step, as a stream of engine events.

import type { MessagePart, StreamEvent } from '@continuo/engine';

export interface HistoryFile {
  /** Such as `image/png`. */
  readonly mediaType: string;
  /** The bytes, or a URL (`https:` or `data:`). */
  readonly data: Uint8Array | string;
}

export type HistoryMessage =
  | {
      readonly role: 'user';
      readonly id: string;
      readonly content: string;
      readonly files?: readonly HistoryFile[];
      /** What the server says of the files that came with it; follows the text. */
      readonly note?: string;
    }
  | {
      readonly role: 'assistant';
      readonly id: string;
      readonly parts: readonly MessagePart[];
      /** Who said it, as `provider/model`: what a provider signed is given back to nobody else. */
      readonly model?: string;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly tool: string;
      /** An object's `text`, if it has one, is what a model is shown of it. */
      readonly output: unknown;
      readonly failed: boolean;
      /** Images that belong to the output. */
      readonly files?: readonly HistoryFile[];
    }
  /** A marker that the server left for the model, such as an interruption. */
  | { readonly role: 'system'; readonly content: string };

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, always an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Calls of one message that are made. Some providers take no more in a history, either. */
export const CALLS_PER_MESSAGE = 128;
/** Calls of one message that are kept at all; those that come after them in the stream are dropped. */
export const CALLS_KEPT = 1000;

export interface ModelRequest {
  /** The id that the answer's message must carry. */
  readonly messageId: string;
  readonly system: string;
  readonly history: readonly HistoryMessage[];
  readonly tools: readonly ToolSchema[];
  /** How much the model should think; what it does by itself where nothing is said. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high';
  readonly signal: AbortSignal;
}

export interface Model {
  /** `provider/model`, as people write it. */
  readonly id: string;
  /** One model call. Failures arrive as `stream_error` events; an abort ends the stream. */
  stream(request: ModelRequest): AsyncIterable<StreamEvent>;
}
