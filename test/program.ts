import { fileURLToPath } from "node:url";
import { builtProgram } from "../scripts/build/dist.ts";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/**
 * Path of the program that tests start as a process: the built program, as users install it. It
 * starts in half the processor time of the sources.
 */
export const ENTRY = builtProgram(fileURLToPath(new URL("..", import.meta.url)));

/**
 * Returns the environment variables with which a process uses Node's compile cache. A start without
 * the cache takes twice as long.
 */
export function keptCompiled(): Readonly<Record<string, string>> {
  const folder = process.env["NODE_COMPILE_CACHE"];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

/** Collects the lines that a program prints, and lets tests wait for a line. */
export class Printed<Line> {
  readonly lines: Line[] = [];
  readonly #waiting = new Set<() => void>();
  #err = "";
  #isOver = false;

  add(line: Line): void {
    this.lines.push(line);
    this.#wake();
  }

  addErr(text: string): void {
    this.#err += text;
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  err(): string {
    return this.#err;
  }

  /**
   * Resolves with the first matching line, from now on or from index `from`. Rejects if the program
   * ends first.
   */
  until(is: (line: Line) => boolean, from = 0): Promise<Line> {
    return this.#waitFor(() => this.lines.slice(from).find(is));
  }

  /** Resolves when standard error contains the text. Rejects if the program ends first. */
  async untilErr(text: string): Promise<void> {
    await this.#waitFor(() => (this.#err.includes(text) ? true : undefined));
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #waitFor<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        const found = find();
        if (found === undefined && !this.#isOver) return;
        this.#waiting.delete(wake);
        if (found === undefined) reject(new Error(`it ended before: ${JSON.stringify(this.lines)} ${this.#err}`));
        else resolve(found);
      };
      this.#waiting.add(wake);
      wake();
    });
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A running process and its output. */
export class Running {
  readonly child: Child;
  readonly printed = new Printed<string>();
  /** Exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;

  constructor(child: Child) {
    this.child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.printed.add(line));
    child.stderr.on("data", (chunk: Buffer) => this.printed.addErr(chunk.toString()));
    this.ended = once(child, "close").then(([code, signal]) => {
      this.printed.end();
      return code ?? signal;
    });
  }

  /** Resolves with the first matching line. Rejects if the process ends first. */
  line(is: (line: string) => boolean): Promise<string> {
    return this.printed.until(is);
  }

  /** Asks the process to end. Resolves with its exit code, or the signal that ended it. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.child.kill("SIGTERM");
    return this.ended;
  }
}
