import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { systemClock } from "../app/clock.ts";
import { systemRandom } from "../app/random.ts";
import type { Io } from "./command.ts";
import { forTerminal } from "./paint.ts";

/** The command line's real world: the streams of this process. */
export function processIo(): Io {
  const { stdin, stdout, stderr } = process;
  // A reader that left (`| head`) is no fault: nobody is there to be told.
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  const stop = stopSignal();
  let statusShown = false;
  const clearStatus = () => {
    if (statusShown) stderr.write("\r\x1b[K");
    statusShown = false;
  };
  return {
    out(line) {
      clearStatus();
      stdout.write(`${stdout.isTTY ? forTerminal(line) : line}\n`);
    },
    err(line) {
      clearStatus();
      stderr.write(`${stderr.isTTY ? forTerminal(line) : line}\n`);
    },
    status(text) {
      clearStatus();
      if (text === "") return;
      stderr.write(forTerminal(text));
      statusShown = true;
    },
    terminal: {
      input: stdin.isTTY === true,
      output: stdout.isTTY === true,
      error: stderr.isTTY === true,
      get columns() {
        return stderr.columns || stdout.columns || 80;
      },
    },
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    clock: systemClock(),
    random: systemRandom(),
    ask,
    get stop() {
      return stop();
    },
    readText: (path) => readFileSync(path === "-" ? 0 : path, "utf8"),
  };
}

/** The question goes to standard error: standard output may be a pipe. */
async function ask(question: string): Promise<string | null> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

/**
 * Listens from the first time that it is asked for: a command that does not wait for it is ended by the signal at once, which is safe at any
 * point (I13).
 */
function stopSignal(): () => AbortSignal {
  let controller: AbortController | null = null;
  return () => {
    if (controller !== null) return controller.signal;
    const made = new AbortController();
    controller = made;
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => made.abort());
    return made.signal;
  };
}
