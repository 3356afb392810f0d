const { fstatSync, writeSync } = process.getBuiltinModule("node:fs");

const STANDARD_OUTPUT = 1;

type WriteAt = (fd: number, bytes: Buffer, at: number) => number;

/**
 * Standard output. Node's stream for it loads its streams and sockets first, 3 of the 55 ms of
 * `status`; a file or a pipe is written by the system's call instead, which is what that stream
 * does with them. It is opened for a terminal, and where a pipe takes no more for now.
 */
export class Output {
  #stream: NodeJS.WriteStream | null = null;
  #isDevice: boolean | null = null;
  readonly #write: WriteAt;

  /** @param write as `writeSync` of `node:fs`; a test has another one */
  constructor(write: WriteAt = writeSync) {
    this.#write = write;
  }

  get isTTY(): boolean {
    return this.#mayBeTerminal() && this.#open().isTTY === true;
  }

  /** Of a terminal; undefined: it is none. */
  get columns(): number | undefined {
    return this.#mayBeTerminal() ? this.#open().columns : undefined;
  }

  write(text: string): void {
    if (this.#stream !== null || this.#mayBeTerminal()) this.#open().write(text);
    else this.#writeHere(Buffer.from(text));
  }

  #writeHere(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      try {
        at += this.#write(STANDARD_OUTPUT, bytes, at);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (hasLeft(code)) return;
        if (code !== "EAGAIN") throw error;
        // Who shares the pipe made its writes return at once: the stream waits, as it always does.
        this.#open().write(bytes.subarray(at));
        return;
      }
    }
  }

  #mayBeTerminal(): boolean {
    this.#isDevice ??= fstatSync(STANDARD_OUTPUT).isCharacterDevice();
    return this.#isDevice;
  }

  #open(): NodeJS.WriteStream {
    if (this.#stream === null) {
      this.#stream = process.stdout;
      outliveReader(this.#stream);
    }
    return this.#stream;
  }
}

/** A reader that left (`| head`, a closed terminal) is no fault: nobody is left to be told. */
export function outliveReader(stream: NodeJS.WriteStream): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!hasLeft(error.code)) throw error;
  });
}

function hasLeft(code: string | undefined): boolean {
  return code === "EPIPE" || code === "EIO";
}
