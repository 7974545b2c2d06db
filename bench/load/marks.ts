// Counts a sequence of bytes in a stream, wherever the chunks are cut.

export class Marks {
  readonly #mark: Buffer;
  #carry: Buffer = Buffer.alloc(0);
  count = 0;

  constructor(mark: string) {
    this.#mark = Buffer.from(mark);
  }

  /** Whether there was one that ends in this chunk. */
  take(chunk: Buffer): boolean {
    const before = this.count;
    const rest = this.#mark.length - 1;
    if (this.#carry.length > 0) this.#scan(Buffer.concat([this.#carry, chunk.subarray(0, rest)]));
    this.#scan(chunk);
    const kept = chunk.length >= rest ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = kept.subarray(Math.max(0, kept.length - rest));
    return this.count > before;
  }

  #scan(bytes: Buffer): void {
    for (let at = bytes.indexOf(this.#mark); at >= 0; at = bytes.indexOf(this.#mark, at + this.#mark.length))
      this.count += 1;
  }
}
