import { fstatSync, writeSync } from "node:fs";
import { EXIT } from "./exit.ts";

const STANDARD_OUTPUT = 1;

/**
 * Error codes of a write to standard output after its reader has ended (`| head`). This is no
 * failure.
 */
const READER_GONE_CODES: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "ENOTCONN", "EIO"]);

let hasStream = false;

/**
 * Returns true if a stream was opened. Such a stream may have output that the system has not
 * accepted yet, or may report an error later.
 */
export function hasOpenedStream(): boolean {
  return hasStream;
}

type WriteAt = (fd: number, bytes: Buffer, offset: number) => number;

/**
 * Writes to standard output. Files and pipes are written by a synchronous system call, because
 * opening a stream loads many modules of Node. A stream is opened only for a terminal, or for a
 * full pipe. A failed write does not stop the command, which may be in the middle of a change; the
 * process reports the failure when it ends.
 */
export class Output {
  #stream: NodeJS.WriteStream | null = null;
  #isDevice: boolean | null = null;
  #hasFailed = false;
  readonly #write: WriteAt;

  /** @param write replaces `writeSync` of `node:fs` in tests */
  constructor(write: WriteAt = writeSync) {
    this.#write = write;
  }

  get isTTY(): boolean {
    return this.#mayBeTerminal() && this.#open().isTTY === true;
  }

  get columns(): number | undefined {
    return this.#mayBeTerminal() ? this.#open().columns : undefined;
  }

  write(text: string): void {
    if (this.#stream !== null || this.#mayBeTerminal()) this.#open().write(text);
    else this.#writeDirectly(Buffer.from(text));
  }

  #writeDirectly(bytes: Buffer): void {
    for (let offset = 0; offset < bytes.length; ) {
      try {
        offset += this.#write(STANDARD_OUTPUT, bytes, offset);
      } catch (error) {
        // The pipe is full, and another process has made it non-blocking, so a system call would
        // fail. A stream waits until the pipe accepts more.
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") this.#open().write(bytes.subarray(offset));
        else this.#fail(error as Error);
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
      hasStream = true;
      this.#stream.on("error", (error) => this.#fail(error));
    }
    return this.#stream;
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#hasFailed || READER_GONE_CODES.has(error.code ?? "")) return;
    this.#hasFailed = true;
    reportAtExit(error);
  }
}

/** Reports a failed write at the end: incomplete output must not look like a success. */
function reportAtExit({ code = "failed" }: NodeJS.ErrnoException): void {
  process.once("exit", () => {
    process.exitCode ||= EXIT.fault;
    process.stderr.write(
      `mdmirror: the output is incomplete: standard output cannot be written (${code})\n` +
        "  next: the command itself was carried out (see: mdmirror log); free some space on that disk, or print elsewhere\n",
    );
  });
}

/** Ignores errors of standard error, such as a closed pipe, so that they do not end the process. */
export function ignoreClosedReader(stream: NodeJS.WriteStream): void {
  hasStream = true;
  stream.on("error", () => {
    // Standard error itself has failed, so no message about this error could be shown.
  });
}
