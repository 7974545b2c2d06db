// A request to an offline model: the subset of the server's model request that is used here.

import { isJsonTooDeep, type MessagePart } from '@continuo/engine';

export type HistoryMessage =
  | { readonly role: 'user'; readonly id: string; readonly content: string }
  | { readonly role: 'assistant'; readonly id: string; readonly parts: readonly MessagePart[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly tool: string;
      readonly output: unknown;
      readonly failed: boolean;
    }
  /** A marker from the server to the model, such as an interruption. */
  | { readonly role: 'system'; readonly content: string };

/** Of a tool, these models need the name alone. */
export interface ToolSchema {
  readonly name: string;
}

export interface ModelRequest {
  /** The id for the answer's message. */
  readonly messageId: string;
  readonly system: string;
  readonly history: readonly HistoryMessage[];
  readonly tools: readonly ToolSchema[];
  /** The answer ends after this many words. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
}

/** The JSON object of a text; undefined if the text is not an object, or is nested deeper than a call's input may be. */
export function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return isJsonTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
