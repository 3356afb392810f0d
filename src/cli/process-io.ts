import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { systemClock } from "../common/system-clock.ts";
import { systemRandom } from "../common/system-random.ts";
import type { Stoppable } from "../mirror/ports/world.ts";
import type { SudoCaller } from "../mirror/trust/owner.ts";
import type { Io } from "./command.ts";
import { once } from "../common/once.ts";
import { ignoreClosedReader, Output } from "./output.ts";
import { cellsOf, fitTo, isColoured, linesForTerminal, oneLine } from "./text.ts";

type StandardOutput = Pick<Output, "write" | "isTTY" | "columns">;

/** Returns the environment of a command, with the streams of this process. */
export function processIo(stdout: StandardOutput = new Output()): Io {
  // Opening a stream takes time, so each is opened on first use.
  const errors = once(() => {
    ignoreClosedReader(process.stderr);
    return process.stderr;
  });
  const stop = stopSignal();
  const columns = () => errors().columns || stdout.columns || 80;
  // Created on first use, because the status line opens the stream, and most commands show no
  // status.
  let statusLine: StatusLine | null = null;
  const clearStatus = () => statusLine?.clear();
  const terminal = terminalOf(stdout, errors, columns);
  const { env } = process;
  const err = (line: string) => {
    clearStatus();
    const coloured = isColoured({ env, terminal }, "error");
    errors().write(`${oneLine(line, coloured)}\n`);
  };
  return {
    out(line) {
      clearStatus();
      stdout.write(`${oneLine(line, isColoured({ env, terminal }, "output"))}\n`);
    },
    text(text) {
      clearStatus();
      stdout.write(stdout.isTTY ? linesForTerminal(text) : text);
    },
    err,
    status(text) {
      if (text === "") return clearStatus();
      statusLine ??= createStatusLine((part) => void errors().write(part), columns);
      statusLine.show(oneLine(text, false));
    },
    terminal,
    env: process.env,
    cwd: process.cwd(),
    clock: systemClock(),
    random: systemRandom(),
    become,
    ask,
    get stop() {
      return stop();
    },
    stoppable: stoppableWithNotice(() => err(STILL_STOPPING)),
    readText: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
  };
}

/** Reads the properties of the streams on first use. */
function terminalOf(stdout: StandardOutput, errors: () => NodeJS.WriteStream, columns: () => number): Io["terminal"] {
  // A dumb terminal (such as a shell in an editor) cannot remove a line.
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
 * Changes the user of this process. ORDER: the environment is checked and the groups are changed
 * first, because both need root's rights.
 */
function become({ uid, gid }: SudoCaller): void {
  const { env } = process;
  // If sudo kept root's environment, these variables contain root's folders, which the user may not
  // use.
  for (const name of ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"]) {
    const folder = env[name] ?? "";
    if (folder !== "" && statSync(folder, { throwIfNoEntry: false })?.uid !== uid) delete env[name];
  }
  // Node has this function, but the types of Node do not.
  (process as typeof process & { initgroups(user: number, group: number): void }).initgroups(uid, gid);
  process.setgid!(gid);
  process.setuid!(uid);
  env["HOME"] = userInfo().homedir;
}

/** Asks on standard error, because standard output may be a pipe. */
async function ask(question: string): Promise<string | null> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
    return await Promise.race([lines.question(oneLine(question, false)), ended]);
  } finally {
    lines.close();
  }
}

/**
 * Listens for signals from the first use on. Before that, a signal ends the process immediately,
 * which is safe at any point (I13).
 */
function stopSignal(): () => AbortSignal {
  return once(() => {
    const controller = new AbortController();
    for (const signal of SIGNALS) process.once(signal, () => controller.abort());
    return controller.signal;
  });
}

/** Signals that end a process. SIGHUP: the terminal was closed, or the session ended. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const STILL_STOPPING = "mdmirror: stopping after the current operation; press again to stop immediately";
/**
 * Milliseconds after a signal before a message says that work continues. Most work ends earlier.
 */
const STILL_MS = 1_000;

/**
 * Returns a function that runs work until a signal arrives.
 * @param notify called if the work continues for a while after the signal
 */
function stoppableWithNotice(notify: () => void): Stoppable {
  return async (work) => {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const abort = () => {
      controller.abort();
      timer ??= setTimeout(notify, STILL_MS).unref();
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

/** The last line of the output on a terminal, which is replaced again and again. */
type StatusLine = {
  /** Shows text in the line, cut to the current width of the terminal. */
  show(text: string): void;
  /** Removes the line, before other lines are printed. */
  clear(): void;
};

/**
 * Creates a status line.
 * @param columns returns the current width of the terminal
 */
export function createStatusLine(write: (text: string) => void, columns: () => number): StatusLine {
  let shown = 0;
  return {
    show(text) {
      this.clear();
      // The last cell stays free: some terminals wrap a line that fills the last cell.
      const fitting = fitTo(text, Math.max(1, columns() - 1));
      write(fitting);
      shown = cellsOf(fitting);
    },
    clear() {
      if (shown === 0) return;
      // In a terminal that was made narrower, the line is wrapped and takes several rows.
      const rows = Math.max(1, Math.ceil(shown / Math.max(1, columns())));
      write(rows === 1 ? "\r\u001b[K" : `\r\u001b[${rows - 1}A\u001b[J`);
      shown = 0;
    },
  };
}
