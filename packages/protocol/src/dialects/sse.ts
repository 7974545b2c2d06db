// How a frame is written as a server-sent event.

/** LF only, an id on every event, JSON on one line. */
export function sseFrame(event: string | undefined, id: number | string, json: string): string {
  return event === undefined
    ? `id: ${id}\ndata: ${json}\n\n`
    : `event: ${event}\nid: ${id}\ndata: ${json}\n\n`;
}

/** Between frames, so that nobody on the way closes a quiet connection. */
export const PING = ': ping\n';
