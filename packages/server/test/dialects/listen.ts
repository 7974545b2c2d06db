// A listener to any stream of server-sent events, for as long as a test wants.

export interface SseFrame {
  readonly event: string | undefined;
  readonly id: string;
  // Tests look into data of every shape, and a wrong guess fails the test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
  /** As it came, byte for byte. */
  readonly raw: string;
}

export interface Listener {
  readonly response: Response;
  /** All frames up to the first that is wanted. */
  until(wanted: (frame: SseFrame) => boolean): Promise<SseFrame[]>;
  /** All frames up to the end of the stream, and whatever bytes came that are none. */
  toEnd(): Promise<{ frames: SseFrame[]; rest: string }>;
  close(): void;
}

export async function listen(
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Listener> {
  const leave = new AbortController();
  const response = await fetch(url, {
    signal: leave.signal,
    headers: {
      accept: 'text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const frames: SseFrame[] = [];
  let buffer = '';
  let rest = '';
  const more = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    if (done) return false;
    buffer += value;
    const whole = buffer.lastIndexOf('\n\n') + 2;
    if (whole === 1) return true;
    const parsed = parseFrames(buffer.slice(0, whole));
    buffer = buffer.slice(whole);
    frames.push(...parsed.frames);
    rest += parsed.rest;
    return true;
  };
  return {
    response,
    async until(wanted) {
      for (;;) {
        const index = frames.findIndex(wanted);
        if (index >= 0) return frames.slice(0, index + 1);
        if (!(await more())) throw new Error(`the stream ended after ${frames.length} frames`);
      }
    },
    async toEnd() {
      while (await more());
      return { frames, rest: rest + buffer };
    },
    close: () => leave.abort(),
  };
}

/** The frames of a text, and whatever else is in it but heartbeats. */
export function parseFrames(text: string): { frames: SseFrame[]; rest: string } {
  const frames: SseFrame[] = [];
  let rest = '';
  for (const raw of text.replaceAll(/^: ping\n/gm, '').match(/.*?\n\n|.+$/gs) ?? []) {
    const frame = parse(raw);
    if (frame) frames.push(frame);
    else rest += raw;
  }
  return { frames, rest };
}

function parse(raw: string): SseFrame | null {
  const fields = new Map(
    raw
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
  );
  const [event, id, data] = [fields.get('event'), fields.get('id'), fields.get('data')];
  return id === undefined || data === undefined ? null : { event, id, data: JSON.parse(data), raw };
}
