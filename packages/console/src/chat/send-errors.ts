// Errors of sending a message.

import { ApiError, ConnectionError } from '@continuo/client';
import { bytes } from '../ui/format.tsx';

/**
 * The key stays with a text until the server accepts it. If the server has the key with other options, it has already
 * accepted this message.
 */
export async function ignoreKeyReuse(sent: Promise<unknown>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'idempotency_key_reused') throw error;
  });
}

/** The error as a sentence that tells the author what to do. */
export function sendErrorText(error: Error): string {
  if (error instanceof ConnectionError)
    return 'The server is not responding. The message stays here: send it again when the server is back.';
  if (!(error instanceof ApiError)) return error.message;
  switch (error.code) {
    case 'thread_busy':
      return 'The chat is busy and “Reject if busy” is chosen. Send the message again when the chat is ready, or choose Queue.';
    case 'queue_full':
      return 'Too many messages are waiting. Wait until some are answered, or cancel some.';
    case 'unknown_message':
      return 'This message was rewound in the meantime.';
    case 'body_too_large':
      return `The message is too long: ${bytes(Number(error.problem.limit))} at most. Put the text into a file and attach it.`;
    default:
      return error.message;
  }
}
