import { fstatSync, writeSync } from "node:fs";
import { EXIT } from "./exit.ts";

const STANDARD_OUTPUT = 1;

/**
 * Codes of a reader that has left: a closed pipe (`| head`), a closed socket, a closed terminal.
 * Nobody is left to read a message, so none of them is an error.
 */
const READER_LEFT: ReadonlySet<string> = new Set(["EPIPE", "ECONNRESET", "ENOTCONN", "EIO"]);

let usesStreams = false;

/**
 * Whether a stream was opened here: it may hold what the system has not taken yet, or tell a fault
 * a turn later.
 */
export function hasOpenedStream(): boolean {
  return usesStreams;
}

type WriteAt = (fd: number, bytes: Buffer, at: number) => number;

/**
 * Standard output. Node's stream for it loads its streams and sockets first, 3 of the 55 ms of
 * `status`; a file or a pipe is written by the system's call instead, which is what that stream
 * does with them. It is opened for a terminal, and where a pipe takes no more for now.
 *
 * What cannot be written ends no command, which may be in the middle of an effect or stay for
 * weeks: it goes on, the next line is tried again, and the process tells of it as it ends.
 */
export class Output {
  #stream: NodeJS.WriteStream | null = null;
  #isDevice: boolean | null = null;
  #hasFailed = false;
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
        // Who shares the pipe made its writes return at once: the stream waits, as it always does.
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
 * ORDER: at the end, for the exit code of the command stands, unless it says that all is well:
 * whoever keeps what was printed would take it for whole.
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

/** For standard error. What it cannot write changes nothing. */
export function outliveReader(stream: NodeJS.WriteStream): void {
  usesStreams = true;
  stream.on("error", () => {
    // Nobody is left to be told.
  });
}
