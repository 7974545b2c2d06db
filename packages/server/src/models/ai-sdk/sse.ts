// Parses server-sent events from bytes, a whole chunk at a time. Returns only their data, which is all that model streams use.

/** More than any answer needs; a longer line would fill the memory. */
const LINE_CHARACTERS = 8 * 1024 * 1024;

export class AiSdkEvents {
  readonly #decoder = new TextDecoder();
  /** The pieces of an incomplete line. */
  #rest: string[] = [];
  #length = 0;
  #data: string | null = null;
  /** The last line ended in CR; an LF that follows belongs to the same line ending. */
  #afterCr = false;

  /** The data of the events that these bytes complete. */
  take(bytes: Uint8Array): string[] {
    const text = this.#withLf(this.#decoder.decode(bytes, { stream: true }));
    const events: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#line(this.#whole(text.slice(start, end)), events);
      start = end + 1;
    }
    this.#keep(start === 0 ? text : text.slice(start));
    return events;
  }

  /** Normalises the line endings CRLF and CR to LF. */
  #withLf(given: string): string {
    if (given === '') return given;
    const text = this.#afterCr && given.startsWith('\n') ? given.slice(1) : given;
    this.#afterCr = given.endsWith('\r');
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  }

  #keep(text: string): void {
    if (text === '') return;
    this.#rest.push(text);
    this.#length += text.length;
    if (this.#length > LINE_CHARACTERS)
      throw new Error(`sent a line longer than ${LINE_CHARACTERS / 1024 / 1024} MiB`);
  }

  #whole(end: string): string {
    if (this.#length === 0) return end;
    const line = this.#rest.join('') + end;
    this.#rest = [];
    this.#length = 0;
    return line;
  }

  /** The last event, if the stream ended without an empty line but the event's data is complete. */
  end(): string[] {
    const events: string[] = [];
    this.#line(this.#whole(''), events);
    this.#line('', events);
    return events;
  }

  #line(line: string, events: string[]): void {
    if (line === '') {
      // An event without data does not count.
      if (this.#data) events.push(this.#data);
      this.#data = null;
      return;
    }
    if (!line.startsWith('data:')) return;
    const data = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
    this.#data = this.#data === null ? data : `${this.#data}\n${data}`;
  }
}
