// Formats frames as server-sent events.

/** LF line endings, an id on every event, JSON on one line. */
export function sseFrame(event: string | undefined, id: number | string, json: string): string {
  return event === undefined
    ? `id: ${id}\ndata: ${json}\n\n`
    : `event: ${event}\nid: ${id}\ndata: ${json}\n\n`;
}

/** A heartbeat between frames, so that no proxy closes a quiet connection. */
export const PING = ': ping\n';
