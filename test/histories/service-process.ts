import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ENTRY } from "../program.ts";

/**
 * LIMIT: attempts to start the process, of some 0.3 s each. PostgreSQL takes a few seconds to
 * recover.
 */
const MAX_STARTS = 60;

/**
 * `mdmirror serve` as a user starts it. Tests can kill it and start it again at the same address.
 */
export class ServiceProcess {
  readonly #args: readonly string[];
  #port = "0";
  #child: ChildProcess | null = null;
  #ready = Promise.withResolvers<void>();
  url = "";
  /**
   * Keys of the service. If several processes use one database, only the first process prints them.
   */
  keys = { user: "", admin: "" };

  /** @param args arguments of `serve`, without the port */
  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get isUp(): boolean {
    return this.#child !== null;
  }

  /** Resolves when the process serves. */
  get up(): Promise<void> {
    return this.#ready.promise;
  }

  /**
   * Starts the process. Repeats this, like a supervisor, while PostgreSQL is starting or ending.
   * @throws if the process ends for another reason, or too often
   */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const said = await this.#startOnce();
      if (said === null) return;
      if (tries === MAX_STARTS || !said.includes("start mdmirror again in a while")) {
        throw new Error(`serve ${this.#args.join(" ")} ended before it said where it serves: ${said}`);
      }
    }
  }

  /** Returns the error output if the process ended before it served; null if it serves. */
  async #startOnce(): Promise<string | null> {
    const args = [ENTRY, "serve", "--port", this.#port, ...this.#args];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const closed = once(child, "close");
    let said = "";
    // Errors about a killed database are expected, so they are not printed.
    child.stderr.on("data", (chunk) => (said = `${said}${chunk}`.slice(-1_000)));
    for await (const line of createInterface({ input: child.stdout })) {
      const serving = /^serving (\S+)$/.exec(line);
      if (serving !== null) this.url = serving[1]!;
      const files = /^key: (.+) \(admin: (.+)\)$/.exec(line);
      if (files !== null) this.keys = { user: readKey(files[1]!), admin: readKey(files[2]!) };
      if (!line.startsWith("pages: ")) continue;
      this.#port = new URL(this.url).port;
      this.#child = child;
      child.stdout.resume();
      this.#ready.resolve();
      return null;
    }
    await closed;
    return said;
  }

  /** @param signal SIGKILL ends it in the middle of its work */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    this.#ready = Promise.withResolvers();
    const closed = once(child, "close");
    child.kill(signal);
    await closed;
  }
}

function readKey(file: string): string {
  return readFileSync(file, "utf8").trim();
}
