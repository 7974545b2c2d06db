// The four layers of events that pass through the engine. Every event carries `at`
// (milliseconds), given by the driver: the engine has no clock of its own.

/** Tokens as providers count them; `cachedInput`, `cacheWrite` and `reasoning` are parts of the totals. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  /** Tokens written to the provider's cache, if they have a price of their own. */
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export type StopReason = 'end' | 'tool_use' | 'length' | 'filtered' | 'other';

/** Data that the provider needs back on the next turn (signatures, ids); the engine only passes it on. */
export type Metadata = Readonly<Record<string, unknown>>;

// Layer 1: the stream, as a driver yields it.
export type StreamEvent =
  | {
      readonly type: 'message_start';
      readonly at: number;
      readonly messageId: string;
      readonly model?: string;
    }
  | { readonly type: 'text_block_start'; readonly at: number }
  | { readonly type: 'text_delta'; readonly at: number; readonly text: string }
  | { readonly type: 'text_block_stop'; readonly at: number; readonly metadata?: Metadata }
  | { readonly type: 'reasoning_block_start'; readonly at: number }
  | { readonly type: 'reasoning_delta'; readonly at: number; readonly text: string }
  | { readonly type: 'reasoning_block_stop'; readonly at: number; readonly metadata?: Metadata }
  | { readonly type: 'tool_input_start'; readonly at: number; readonly callId: string; readonly tool: string }
  | { readonly type: 'tool_input_delta'; readonly at: number; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool_input_stop';
      readonly at: number;
      readonly callId: string;
      readonly metadata?: Metadata;
    }
  | {
      readonly type: 'tool_result';
      readonly at: number;
      readonly callId: string;
      readonly tool: string;
      readonly output: unknown;
      readonly failed?: boolean;
    }
  | {
      readonly type: 'message_stop';
      readonly at: number;
      readonly reason: StopReason;
      readonly usage: Usage;
      readonly metadata?: Metadata;
    }
  | {
      readonly type: 'stream_error';
      readonly at: number;
      readonly code: string;
      readonly message: string;
      /** A retry may succeed. */
      readonly retryable?: boolean;
    }
  | { readonly type: 'stream_interrupted'; readonly at: number; readonly reason: string };

/** A part of an assistant message, in the order in which the model produced it. */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string; readonly metadata?: Metadata }
  | { readonly kind: 'reasoning'; readonly text: string; readonly metadata?: Metadata }
  | {
      readonly kind: 'tool_call';
      readonly callId: string;
      readonly tool: string;
      readonly input: ToolInput;
      readonly metadata?: Metadata;
    };

/** `invalid` keeps the model's text if it is not JSON, or is nested deeper than `JSON_DEPTH`, for the error to the model. */
export type ToolInput =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly text: string };

// Layer 2: whole messages.
export type MessageEvent =
  | {
      readonly type: 'assistant_message';
      readonly at: number;
      readonly messageId: string;
      readonly text: string;
      readonly parts: readonly MessagePart[];
      /** How the message ended; anything but `complete` means that the stream was cut. */
      readonly ended: 'complete' | 'error' | 'interrupted';
      readonly reason?: StopReason;
      readonly usage?: Usage;
      readonly model?: string;
      readonly metadata?: Metadata;
    }
  | {
      readonly type: 'tool_use_message';
      readonly at: number;
      readonly messageId: string;
      readonly callId: string;
      readonly tool: string;
      readonly input: ToolInput;
    }
  | {
      readonly type: 'tool_result_message';
      readonly at: number;
      readonly callId: string;
      readonly tool: string;
      readonly output: unknown;
      readonly failed: boolean;
    };

// Layer 3: what the conversation is doing.
export type StateEvent =
  | { readonly type: 'conversation_start'; readonly at: number; readonly messageId: string }
  | { readonly type: 'conversation_thinking'; readonly at: number }
  | { readonly type: 'conversation_responding'; readonly at: number }
  | { readonly type: 'tool_planned'; readonly at: number; readonly callId: string; readonly tool: string }
  | { readonly type: 'tool_executing'; readonly at: number; readonly callId: string; readonly tool: string }
  | { readonly type: 'conversation_end'; readonly at: number; readonly reason: StopReason }
  | { readonly type: 'conversation_interrupted'; readonly at: number; readonly reason: string }
  | { readonly type: 'error_occurred'; readonly at: number; readonly code: string; readonly message: string };

// Layer 4: the usage, cost and duration of one `receive`.
export interface TurnEvent {
  readonly type: 'turn_response';
  readonly at: number;
  readonly messageId: string | null;
  readonly ended: 'complete' | 'error' | 'interrupted';
  readonly usage: Usage;
  /** In the currency of the given prices; null if the model has no price or the stream reported no usage. */
  readonly cost: number | null;
  readonly durationMs: number;
}

export type EngineEvent = StreamEvent | MessageEvent | StateEvent | TurnEvent;
