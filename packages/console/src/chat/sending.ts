// A message on its way: whether it was taken in, and why not.

import { ApiError, ConnectionError } from '@continuo/client';
import { bytes } from '../ui/time.tsx';

/** A text keeps its key until it is taken in: what the server knows under it, with another choice, is this message. */
export async function unlessTaken(sent: Promise<unknown>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'idempotency_key_reused') throw error;
  });
}

/** Why a message was not taken, as whoever wrote it can use it. */
export function inWords(error: Error): string {
  if (error instanceof ConnectionError)
    return 'The server does not answer. The message stays here: send it again when the server is back.';
  if (!(error instanceof ApiError)) return error.message;
  switch (error.code) {
    case 'thread_busy':
      return 'The chat is at work, and the message is not to wait. Send it again when the chat is ready, or choose Queue.';
    case 'queue_full':
      return 'Too many messages wait already. Wait for some to be answered, or take some back.';
    case 'unknown_message':
      return 'This message was taken back meanwhile.';
    case 'body_too_large':
      return `The message is too long: ${bytes(Number(error.problem.limit))} at most. Put the text into a file, and attach that.`;
    default:
      return error.message;
  }
}
