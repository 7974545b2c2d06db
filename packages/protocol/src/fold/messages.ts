// Assembles a model's message from its pieces, and finds the message that is superseded: an unfinished message starts again
// under another id and no longer counts.

import type { MessagePart } from '@continuo/engine';
import type { EventData, NewEvent, RunError } from '../events.ts';

export interface Superseded {
  readonly message: string;
  readonly attempt: number;
  /** Why the model's stream failed; absent if another pod took the run over. */
  readonly cause?: RunError;
}

/** The message that a state change of the run supersedes; null if there is none. */
export function supersededBy(change: EventData['state']): Superseded | null {
  if (change.status !== 'running' || change.supersedes === undefined) return null;
  const { supersedes: message, attempt, cause } = change;
  return { message, attempt, ...(cause && { cause }) };
}

/** The latest message with text, and its text so far. */
export interface MessageText {
  readonly message: string;
  readonly text: string;
}

/** Constant time for each piece. */
export function textAfter(said: MessageText | null, event: NewEvent): MessageText | null {
  switch (event.type) {
    case 'token': {
      const { message, text } = event.data;
      return { message, text: said?.message === message ? said.text + text : text };
    }
    case 'state': {
      const superseded = supersededBy(event.data);
      return superseded !== null && superseded.message === said?.message ? null : said;
    }
    default:
      return said;
  }
}

/** The parts of a complete message that people read, without empty ones. */
export function readableParts(
  parts: readonly MessagePart[],
): { readonly kind: 'text' | 'reasoning'; readonly text: string }[] {
  return parts.flatMap((part) =>
    part.kind === 'tool_call' || part.text === '' ? [] : [{ kind: part.kind, text: part.text }],
  );
}
