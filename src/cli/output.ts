import { fstatSync, writeSync } from "node:fs";
import { EXIT } from "./exit.ts";

const STANDARD_OUTPUT = 1;

/**
 * Codes of a reader that has left: a closed pipe (`| head`), socket or terminal. Nobody reads a
 * message, so none is an error.
 */
const READER_LEFT: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "ENOTCONN", "EIO"]);

let usesStreams = false;

/**
 * True if a stream was opened: it may hold output that the system has not taken, or report an error
 * later.
 */
export function hasOpenedStream(): boolean {
  return usesStreams;
}

type WriteAt = (fd: number, bytes: Buffer, at: number) => number;

/**
 * Standard output. Node's stream for it first loads its streams and sockets, 3 of the 55 ms of
 * `status`. A file or a pipe is therefore written with the system call that the stream would use.
 * The stream is opened for a terminal, and for a pipe that takes no more for now. Output that
 * cannot be written ends no command, because the command may be in the middle of an effect. The
 * next line is tried again, and the process reports the error when it ends.
 */
export class Output {
  #stream: NodeJS.WriteStream | null = null;
  #isDevice: boolean | null = null;
  #hasFailed = false;
  readonly #write: WriteAt;

  /** @param write like `writeSync` of `node:fs`; tests pass their own */
  constructor(write: WriteAt = writeSync) {
    this.#write = write;
  }

  get isTTY(): boolean {
    return this.#mayBeTerminal() && this.#open().isTTY === true;
  }

  /** Columns of the terminal; undefined if it is none. */
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
        // Another process made the shared pipe non-blocking: the stream waits.
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") this.#open().write(bytes.subarray(at));
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
      usesStreams = true;
      this.#stream.on("error", (error) => this.#fail(error));
    }
    return this.#stream;
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#hasFailed || READER_LEFT.has(error.code ?? "")) return;
    this.#hasFailed = true;
    tellAtExit(error);
  }
}

/**
 * ORDER: at the end. A command that says all is well must not exit with 0 if its output is
 * incomplete.
 */
function tellAtExit({ code = "failed" }: NodeJS.ErrnoException): void {
  process.once("exit", () => {
    process.exitCode ||= EXIT.fault;
    process.stderr.write(
      `mdmirror: the output is incomplete: standard output cannot be written (${code})\n` +
        "  next: the command itself was carried out (see: mdmirror log); free some space on that disk, or print elsewhere\n",
    );
  });
}

/** Keeps an error of standard error from ending the process. */
export function outliveReader(stream: NodeJS.WriteStream): void {
  usesStreams = true;
  stream.on("error", () => {
    // Nobody is left to read a message.
  });
}
