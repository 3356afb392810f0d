/**
 * Splits a stream of bytes into lines of bounded length, so that a line without an end cannot fill
 * the memory.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #heldBytes = 0;
  #isOver = false;

  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** Returns false for a line longer than `maxBytes`; no later byte is read. */
  push(chunk: Buffer): boolean {
    let from = 0;
    while (!this.#isOver && from < chunk.length) {
      const end = chunk.indexOf(0x0a, from);
      this.#hold(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) break;
      if (!this.#isOver) this.#onLine(this.#takeLine());
      from = end + 1;
    }
    return !this.#isOver;
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length;
    this.#isOver = this.#heldBytes > this.#maxBytes;
    if (this.#isOver) this.#parts = [];
    else this.#parts.push(part);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#heldBytes = 0;
    return line;
  }
}
