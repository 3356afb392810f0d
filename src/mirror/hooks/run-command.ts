import { type ChildProcess, spawn } from "node:child_process";
import { errnoClause } from "../../common/trouble.ts";
import { homeOf } from "../trust/registry.ts";
import type { Env, Hook, HookEnd } from "./hook.ts";
import type { Message } from "./message.ts";

/**
 * Runs a hook's command: the message on its standard input, a small environment without keys, in
 * the user's home folder (a linked folder might have somebody else's configuration for the
 * program). It runs in a process group of its own, which is ended as a whole when its time is over.
 */

/** LIMIT: bytes of output that are kept, from the end. */
const KEPT_BYTES = 1_024;
/** LIMIT: bytes of output. Reading more would take processor time from syncing. */
const MOST_BYTES = 1024 * 1024;
/** LIMIT: milliseconds between asking a group to end and killing it. */
const GRACE_MS = 2_000;

/** Variables that a command may need for programs, settings, the desktop and a language. */
const PASSED: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_DATA_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
];
/** Names the event to the command; tells mdmirror that a hook called it. */
const HOOK_VARIABLE = "MDMIRROR_HOOK";

type Running = {
  readonly env: Env;
  readonly timeoutMs: number;
  /** Ends the command. */
  readonly stop: AbortSignal;
};

export async function runCommand({ argv }: Pick<Hook, "argv">, message: Message, running: Running): Promise<HookEnd> {
  const began = performance.now();
  const ended = await new CommandRun(argv, message, running).ended;
  const ms = Math.round(performance.now() - began);
  if (ended.why === null) return { kind: "done", ms };
  const { why, reason, code, output } = ended;
  return { kind: "failed", ms, why, reason, code, output };
}

type Over = {
  readonly why: string | null;
  readonly reason: string;
  readonly code: number | string | null;
  readonly output: string;
};

/** One child process, from its start to its end. */
class CommandRun {
  readonly ended: Promise<Over>;
  readonly #child: ChildProcess;
  #output = Buffer.alloc(0);
  #bytes = 0;
  /** Reason why it was ended. */
  #cut: Pick<Over, "why" | "reason"> | null = null;
  #grace: NodeJS.Timeout | null = null;

  constructor([program, ...args]: readonly string[], message: Message, { env, timeoutMs, stop }: Running) {
    this.#child = spawn(program!, args, {
      cwd: homeOf(env),
      env: environmentOf(message, env),
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const { promise, resolve } = Promise.withResolvers<Over>();
    const timer = setTimeout(() => this.#end(`it did not end within ${timeoutMs / 1_000} s`, "timeout"), timeoutMs);
    const onStop = () => this.#end("it was ended, because mdmirror is ending", "stopped");
    if (stop.aborted) onStop();
    stop.addEventListener("abort", onStop, { once: true });
    this.#child.once("error", (error) => resolve(this.#over(null, null, error)));
    // A child of the command may keep its output open; the command itself is over with "exit".
    this.#child.once("exit", (code, signal) => setImmediate(() => resolve(this.#over(code, signal, null))));
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => this.#take(chunk));
    // A command need not read its input.
    this.#child.stdin?.on("error", () => undefined);
    this.#child.stdin?.end(`${JSON.stringify(message)}\n`);
    this.ended = promise.finally(() => {
      clearTimeout(timer);
      stop.removeEventListener("abort", onStop);
      this.#leave();
    });
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#output = Buffer.concat([this.#output, chunk]).subarray(-KEPT_BYTES);
    if (this.#bytes > MOST_BYTES) this.#end("it printed more than 1 MiB", "output");
  }

  /** Asks the group to end, then kills it. */
  #end(why: string, reason: string): void {
    if (this.#cut !== null) return;
    this.#cut = { why, reason };
    this.#kill("SIGTERM");
    this.#grace = setTimeout(() => this.#kill("SIGKILL"), GRACE_MS);
  }

  #over(code: number | null, signal: string | null, error: Error | null): Over {
    const output = this.#output.toString("utf8").trim();
    if (error !== null) {
      const { code: errno = null } = error as NodeJS.ErrnoException;
      return { why: `it cannot be started: ${errnoClause(error)}`, reason: "start", code: errno, output };
    }
    if (this.#cut !== null) return { ...this.#cut, code: null, output };
    if (code === 0) return { why: null, reason: "", code, output };
    const how = signal === null ? `it ended with ${code}` : `it was ended by ${signal}`;
    return { why: how, reason: "exit", code: code ?? signal, output };
  }

  /** Stops waiting, and kills what is left of an ended group. */
  #leave(): void {
    if (this.#grace !== null) clearTimeout(this.#grace);
    if (this.#cut !== null) this.#kill("SIGKILL");
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy();
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // It is over already.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

function environmentOf({ type, text, data }: Message, env: Env): NodeJS.ProcessEnv {
  const passed = Object.entries(env).filter(([name]) => PASSED.includes(name) || name.startsWith("LC_"));
  return {
    ...Object.fromEntries(passed),
    [HOOK_VARIABLE]: type,
    MDMIRROR_HOOK_TEXT: text,
    MDMIRROR_HOOK_FOLDER: data.mirror.folder,
  };
}
