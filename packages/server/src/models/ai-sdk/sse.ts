// Server-sent events out of bytes, all of a chunk at once: only their data, which is all that
// model streams use.

export class AiSdkEvents {
  readonly #decoder = new TextDecoder();
  /** A line that is not whole yet. */
  #rest = '';
  #data: string | null = null;

  /** The data of the events that these bytes complete. */
  take(bytes: Uint8Array): string[] {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const events: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line(
        text.charCodeAt(end - 1) === 13 ? text.slice(start, end - 1) : text.slice(start, end),
        events,
      );
      start = end + 1;
    }
    this.#rest = start === 0 ? text : text.slice(start);
    return events;
  }

  /** An event that the stream broke off in, if its data is whole. */
  end(): string[] {
    const events: string[] = [];
    this.#line(this.#rest, events);
    this.#line('', events);
    return events;
  }

  #line(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data !== null) events.push(this.#data);
      this.#data = null;
      return;
    }
    if (!line.startsWith('data:')) return;
    const data = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
    this.#data = this.#data === null ? data : `${this.#data}\n${data}`;
  }
}
