import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));

/** `mdmirror serve` as a user starts it, which can be killed and started again at its address. */
export class ServiceProcess {
  readonly #args: readonly string[];
  #port = "0";
  #child: ChildProcess | null = null;
  #ready = Promise.withResolvers<void>();
  url = "";
  keys = { user: "", admin: "" };

  /** @param args of `serve`, but for its port */
  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get isUp(): boolean {
    return this.#child !== null && this.url !== "";
  }

  /** Settles as soon as it serves. */
  get up(): Promise<void> {
    return this.#ready.promise;
  }

  /** @throws when it ends before it serves */
  async start(): Promise<void> {
    const args = [ENTRY, "serve", "--port", this.#port, ...this.#args];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout });
    let serving: string | null = null;
    for await (const line of lines) {
      serving ??= /^serving (\S+)$/.exec(line)?.[1] ?? null;
      const files = /^key: (.+) \(admin: (.+)\)$/.exec(line);
      if (serving === null || files === null) continue;
      this.url = serving;
      this.#port = new URL(serving).port;
      this.keys = { user: readFileSync(files[1]!, "utf8").trim(), admin: readFileSync(files[2]!, "utf8").trim() };
      this.#child = child;
      child.stdout.resume();
      this.#ready.resolve();
      return;
    }
    throw new Error(`serve ${this.#args.join(" ")} ended before it said where it serves`);
  }

  /** @param signal SIGKILL: in the middle of whatever it does */
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
