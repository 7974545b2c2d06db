// Work that is pointless once its client has disconnected.

import type { ServerResponse } from 'node:http';
import { Problem } from './problem.ts';

/** Runs `work` with a signal that aborts when the client disconnects. */
export async function whileConnected<T>(
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const onClose = () => gone.abort(clientGone());
  response.once('close', onClose);
  return work(gone.signal).finally(() => response.off('close', onClose));
}

/** The client has disconnected, so nobody reads this answer. It is not an error of the server. */
function clientGone(): Problem {
  return new Problem({ status: 408, code: 'client_gone', detail: 'The client disconnected.' });
}
