import { fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import { userInfo } from "node:os";
import { systemClock } from "../common/clock.ts";
import { systemRandom } from "../common/random.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exit.ts";
import { once } from "../common/once.ts";
import { countCells, cutToCells, escapeLine, escapeLines, isColoured } from "./text.ts";

type StandardOutput = Pick<Output, "write" | "isTTY" | "columns">;

export function createProcessIo(stdout: StandardOutput = new Output()): Io {
  // The stream is opened on first use, because opening a stream takes time.
  const openErrorStream = once(() => {
    ignoreClosedReader(process.stderr);
    return process.stderr;
  });
  const getStopSignal = makeStopSignal();
  const readColumns = () => openErrorStream().columns || stdout.columns || 80;
  // The status line is created on first use, because this opens a stream, and most commands show no
  // status line.
  let statusLine: StatusLine | null = null;
  const clearStatus = () => statusLine?.clear();
  const terminal = makeTerminal(stdout, openErrorStream, readColumns);
  const { env } = process;
  const printError = (line: string) => {
    clearStatus();
    const isErrorColoured = isColoured({ env, terminal }, "error");
    openErrorStream().write(`${escapeLine(line, isErrorColoured)}\n`);
  };
  return {
    out(line) {
      clearStatus();
      stdout.write(`${escapeLine(line, isColoured({ env, terminal }, "output"))}\n`);
    },
    text(text) {
      clearStatus();
      stdout.write(stdout.isTTY ? escapeLines(text) : text);
    },
    err: printError,
    status(text) {
      if (text === "") return clearStatus();
      statusLine ??= createStatusLine((part) => void openErrorStream().write(part), readColumns);
      statusLine.show(escapeLine(text, false));
    },
    terminal,
    env,
    cwd: process.cwd(),
    clock: systemClock(),
    random: systemRandom(),
    become: changeUser,
    ask: askOnTerminal,
    get stop() {
      return getStopSignal();
    },
    stoppable: makeStoppable(() => printError(STILL_STOPPING)),
    readText: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
  };
}

/** Returns the properties of the streams. Each property is read on first use. */
function makeTerminal(stdout: StandardOutput, errors: () => NodeJS.WriteStream, columns: () => number): Io["terminal"] {
  // A "dumb" terminal, such as a shell in an editor, cannot replace a line.
  const isDumb = process.env["TERM"] === "dumb";
  return {
    get input() {
      return process.stdin.isTTY === true;
    },
    get output() {
      return stdout.isTTY;
    },
    get error() {
      return errors().isTTY === true && !isDumb;
    },
    get columns() {
      return columns();
    },
  };
}

/**
 * Changes the user of this process to the caller of `sudo`.
 * ORDER: the user is changed last, because only root may examine every folder and change the
 * groups.
 */
function changeUser({ uid, gid }: SudoCaller): void {
  const { env } = process;
  // If `sudo` keeps the environment, these variables may name folders of root, which the caller
  // cannot use.
  for (const name of ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"]) {
    const folder = env[name] ?? "";
    if (folder !== "" && statSync(folder, { throwIfNoEntry: false })?.uid !== uid) delete env[name];
  }
  // Node has the function `initgroups`, but Node's type declarations lack the function.
  (process as typeof process & { initgroups(user: number, group: number): void }).initgroups(uid, gid);
  process.setgid!(gid);
  process.setuid!(uid);
  env["HOME"] = userInfo().homedir;
}

/**
 * Asks a question on standard error, because standard output may be a pipe. Returns null at the end
 * of input.
 */
async function askOnTerminal(question: string): Promise<string | null> {
  const { createInterface } = await import("node:readline/promises");
  const lineReader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const inputEnd = new Promise<null>((resolve) => lineReader.once("close", () => resolve(null)));
    return await Promise.race([lineReader.question(escapeLine(question, false)), inputEnd]);
  } finally {
    lineReader.close();
  }
}

/**
 * Returns a function whose first call installs the signal handlers. Before that call, a signal ends
 * the process immediately, which is safe at any point (I13).
 */
function makeStopSignal(): () => AbortSignal {
  return once(() => {
    const controller = new AbortController();
    for (const signal of SIGNALS) process.once(signal, () => controller.abort());
    return controller.signal;
  });
}

/** Signals that end a process. The system sends SIGHUP when the terminal is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const STILL_STOPPING = "mdmirror: stopping after the current operation; press again to stop immediately";
/** Milliseconds from a signal to a message that the work still continues. */
const STILL_STOPPING_MS = 1_000;

/**
 * Returns a function that runs work, and aborts the work's `AbortSignal` on one of `SIGNALS`.
 * @param notify called if the work still runs `STILL_STOPPING_MS` after the signal
 */
function makeStoppable(notify: () => void): Stoppable {
  return async (work) => {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const abort = () => {
      controller.abort();
      timer ??= setTimeout(notify, STILL_STOPPING_MS).unref();
    };
    for (const signal of SIGNALS) process.once(signal, abort);
    try {
      return { value: await work(controller.signal), isStopped: controller.signal.aborted };
    } finally {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, abort);
    }
  };
}

/** Last line on a terminal, which a running command overwrites. */
type StatusLine = {
  show(text: string): void;
  clear(): void;
};

/** Creates the status line. `columns`: returns the current width of the terminal. */
export function createStatusLine(write: (text: string) => void, columns: () => number): StatusLine {
  let shownCells = 0;
  return {
    show(text) {
      this.clear();
      // The last cell of the row stays empty, because some terminals wrap a line that fills it.
      const fittingText = cutToCells(text, Math.max(1, columns() - 1));
      write(fittingText);
      shownCells = countCells(fittingText);
    },
    clear() {
      if (shownCells === 0) return;
      // If the terminal became narrower, the shown line is wrapped and takes several rows.
      const wrappedRows = Math.max(1, Math.ceil(shownCells / Math.max(1, columns())));
      write(wrappedRows === 1 ? "\r\u001b[K" : `\r\u001b[${wrappedRows - 1}A\u001b[J`);
      shownCells = 0;
    },
  };
}

const STANDARD_OUTPUT = 1;

/**
 * Error codes of a write to standard output after the reading program has ended (`| head`). Such an
 * error is no failure.
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
 * Writes to standard output. Files and pipes are written with synchronous system calls, because
 * opening a stream would load many modules of Node. A stream is opened only for a terminal, or for
 * a full pipe. A failed write does not stop the command, which may be changing documents; the
 * process reports the failure at the end.
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
        // The pipe is full, and another process has made the pipe non-blocking, so a system call
        // would fail. A stream waits until the pipe accepts more.
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
function ignoreClosedReader(stream: NodeJS.WriteStream): void {
  hasStream = true;
  stream.on("error", () => {
    // Standard error itself has failed, so no message about this error could be shown.
  });
}
