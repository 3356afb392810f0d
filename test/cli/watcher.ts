import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { keptCompiled } from "../compiled.ts";
import type { Rig } from "./rig.ts";

/** `mdmirror watch --json` as a process of its own, with its lines as they come. */
export type WatchEvent = Readonly<Record<string, unknown>> & { readonly kind: string; readonly root: string };

export type WatchProcess = {
  readonly pid: number;
  readonly events: WatchEvent[];
  /** All that it printed on standard error. */
  err(): string;
  /**
   * Resolves with the first event from now on (or since `from`) that is so; rejects when the
   * process ends before.
   */
  until(is: (event: WatchEvent) => boolean, from?: number): Promise<WatchEvent>;
  /** Resolves when standard error holds that; rejects when the process ends before. */
  told(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

const ENTRY = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));

export function startWatch(
  rig: Rig,
  dirs: readonly string[],
  env: Readonly<Record<string, string>> = {},
): WatchProcess {
  const child: ChildProcess = spawn(process.execPath, [ENTRY, "watch", ...dirs, "--json"], {
    cwd: rig.dir,
    env: {
      ...keptCompiled(),
      PATH: process.env["PATH"],
      XDG_RUNTIME_DIR: rig.dir,
      XDG_STATE_HOME: rig.stateHome,
      MDMIRROR_NOTIFY: "off",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const events: WatchEvent[] = [];
  const waiting = new Set<() => void>();
  let err = "";
  let over = false;
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8");
    for (const look of [...waiting]) look();
  });
  createInterface({ input: child.stdout! }).on("line", (line) => {
    rig.printed.push(line);
    events.push(JSON.parse(line) as WatchEvent);
    for (const look of [...waiting]) look();
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => {
      over = true;
      rig.printed.push(err);
      resolve(code ?? signal!);
      for (const look of [...waiting]) look();
    });
  });
  const waitFor = waitingFor(
    waiting,
    () => over,
    () => err,
  );
  return {
    pid: child.pid!,
    events,
    err: () => err,
    ended,
    signal: (name) => void child.kill(name),
    until: (is, from = 0) => waitFor(() => events.slice(from).find(is)),
    told: (text) => waitFor(() => (err.includes(text) ? true : undefined)).then(() => undefined),
  };
}

/** Looks whenever something came, until it is found or the process is over. */
function waitingFor(waiting: Set<() => void>, isOver: () => boolean, err: () => string) {
  return <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined && !isOver()) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`watch ended before it said so: ${err()}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
}
