// The model interface of the run loop: one step, as a stream of engine events.

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
      /** A part of it is untrusted content. */
      readonly untrusted?: true;
      readonly files?: readonly HistoryFile[];
      /** The server's note about the attached files; follows the text. */
      readonly note?: string;
    }
  | {
      readonly role: 'assistant';
      readonly id: string;
      readonly parts: readonly MessagePart[];
      /** It has words of child runs that had read untrusted content. */
      readonly untrusted?: true;
      /** The model that wrote it, as `provider/model`: signed content goes back only to the provider that signed it. */
      readonly model?: string;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly tool: string;
      /** If it is an object with a `text`, models see only the text. */
      readonly output: unknown;
      readonly failed: boolean;
      /** Others wrote the output. */
      readonly untrusted?: true;
      /** Images that belong to the output. */
      readonly files?: readonly HistoryFile[];
    }
  /** A marker from the server to the model, such as an interruption. */
  | { readonly role: 'system'; readonly content: string };

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, always an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** How many calls of one message are made. Some providers also refuse a history with more. */
export const CALLS_PER_MESSAGE = 128;
/** How many calls of one message are kept at all; later calls in the stream are dropped. */
export const CALLS_KEPT = 1000;

export interface ModelRequest {
  /** The id for the answer's message. */
  readonly messageId: string;
  readonly system: string;
  readonly history: readonly HistoryMessage[];
  readonly tools: readonly ToolSchema[];
  /** How much the model should reason; the model's own default if absent. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high';
  /** The model ends its answer there; the model's own maximum if absent. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
}

export interface Model {
  /** `provider/model`. */
  readonly id: string;
  /** One model call. Failures arrive as `stream_error` events; an abort ends the stream. */
  stream(request: ModelRequest): AsyncIterable<StreamEvent>;
}
