// How a model's message is assembled from its pieces, and when it is superseded: a message that was left unfinished is begun
// again under another name, and says nothing from then on.

import type { MessagePart } from '@continuo/engine';
import type { EventData, NewEvent, RunError } from '../events.ts';

export interface Superseded {
  readonly message: string;
  readonly attempt: number;
  /** Why the model's stream failed; absent where another pod took the run over. */
  readonly cause?: RunError;
}

/** The message that a change of the run's state supersedes; null if there is none. */
export function supersededBy(change: EventData['state']): Superseded | null {
  if (change.status !== 'running' || change.supersedes === undefined) return null;
  const { supersedes: message, attempt, cause } = change;
  return { message, attempt, ...(cause && { cause }) };
}

/** The latest message that has text, and its text so far. */
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

/** The parts of a whole message that people read, without empty ones. */
export function readableParts(
  parts: readonly MessagePart[],
): { readonly kind: 'text' | 'reasoning'; readonly text: string }[] {
  return parts.flatMap((part) =>
    part.kind === 'tool_call' || part.text === '' ? [] : [{ kind: part.kind, text: part.text }],
  );
}
