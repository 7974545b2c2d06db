// Work for a client that may go away meanwhile: then it is of no use any more.

import type { ServerResponse } from 'node:http';
import { Problem } from './problem.ts';

/** The signal aborts when the client goes away. */
export async function whileConnected<T>(
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  const onClose = () => gone.abort(clientGone());
  response.once('close', onClose);
  return work(gone.signal).finally(() => response.off('close', onClose));
}

/** Nobody reads this; nothing went wrong either. */
function clientGone(): Problem {
  return new Problem({ status: 408, code: 'client_gone', detail: 'The client went away meanwhile.' });
}
