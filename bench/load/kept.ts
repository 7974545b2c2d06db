// One kept connection for one request at a time. Node's own client works for half a millisecond on each request, which would be
// measured as the server's where that answers in a few.

import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export class KeptConnection {
  readonly #host: string;
  readonly #socket: Socket;
  #text = '';
  #answered: ((status: number) => void) | null = null;

  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    this.#host = host;
    this.#socket = connect(Number(port), hostname);
    this.#socket.setNoDelay(true);
    // A character is a byte: bodies are counted in bytes.
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#take(text));
  }

  /** Resolves with the status once the response has come whole. */
  post(path: string, body: unknown): Promise<number> {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#socket.once('error', reject);
      this.#socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${this.#host}\r\ncontent-type: application/json\r\n` +
          `content-length: ${Buffer.byteLength(text)}${HEAD_END}${text}`,
      );
    }).finally(() => this.#socket.removeAllListeners('error')) as Promise<number>;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const end = this.#text.indexOf(HEAD_END);
    const length = Number(/^content-length: (\d+)/im.exec(this.#text)?.[1]);
    const whole = end + HEAD_END.length + length;
    if (end < 0 || this.#text.length < whole) return;
    const status = Number(this.#text.split(' ', 2)[1]);
    this.#text = this.#text.slice(whole);
    this.#answered?.(status);
  }
}
