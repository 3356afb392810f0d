import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, onTestFailed } from "vitest";
import { LiveClock } from "../clocks.ts";
import { type Rig, useRig } from "./rig.ts";
import { ENTRY, keptCompiled, Printed } from "../program.ts";

/** `mdmirror watch --json` and its output lines, as a process or in the process of the test. */
export type WatchEvent = Readonly<Record<string, unknown>> & { readonly kind: string; readonly root: string };

type Watching = {
  readonly pid: number;
  readonly events: readonly WatchEvent[];
  /** Returns everything that it printed on standard error. */
  err(): string;
  /**
   * Resolves with the first matching event, from now on or from index `from`. Rejects if the daemon
   * ends first.
   */
  until(is: (event: WatchEvent) => boolean, from?: number): Promise<WatchEvent>;
  /** Resolves when standard error contains the text. Rejects if the daemon ends first. */
  untilErr(text: string): Promise<void>;
};

type WatchProcess = Watching & {
  signal(name: NodeJS.Signals): void;
  /** Exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

export type InProcessWatch = Watching & {
  readonly clock: LiveClock;
  /** Stops the daemon like SIGTERM. */
  stop(): void;
  /** Exit code. */
  readonly ended: Promise<number>;
};

type Start<Started> = (dirs?: readonly string[], env?: Readonly<Record<string, string>>) => Started;
type Watches = {
  /** Starts a daemon as a process. */
  readonly start: Start<WatchProcess>;
  /** Starts a daemon in this process, with a clock that the test can speed up. */
  readonly startHere: Start<InProcessWatch>;
  /** Starts a daemon as a process. Resolves when its first cycle is over. */
  readonly watching: Start<Promise<WatchProcess>>;
  /**
   * Starts a daemon in this process. Resolves when its first cycle is over, so it notices every
   * later change.
   */
  readonly watchingHere: Start<Promise<InProcessWatch>>;
};

/** Returns functions that start daemons for a rig. Each daemon ends before the rig is closed. */
export function useWatches(rig: Rig): Watches {
  const processes: WatchProcess[] = [];
  const here: InProcessWatch[] = [];
  afterEach(async () => {
    for (const watch of processes) watch.signal("SIGKILL");
    for (const watch of here) watch.stop();
    for (const watch of [...processes.splice(0), ...here.splice(0)]) await watch.ended;
  });
  const kept = <Started>(list: Started[], watch: Started): Started => {
    list.push(watch);
    return watch;
  };
  const cycled = async <Started extends Watching>(watch: Started): Promise<Started> => {
    await watch.until(isRun);
    return watch;
  };
  const start: Watches["start"] = (dirs = ["w"], env = {}) => kept(processes, startWatch(rig, dirs, env));
  const startHere: Watches["startHere"] = (dirs = ["w"], env = {}) => kept(here, watchInProcess(rig, dirs, env));
  return {
    start,
    startHere,
    watching: (...how) => cycled(start(...how)),
    watchingHere: (...how) => cycled(startHere(...how)),
  };
}

function environment(rig: Rig, env: Readonly<Record<string, string>>) {
  const folders = { XDG_RUNTIME_DIR: rig.dir, XDG_STATE_HOME: rig.stateHome, XDG_CONFIG_HOME: rig.configHome };
  const usual = { ...folders, MDMIRROR_NOTIFY: "off" };
  return { ...keptCompiled(), PATH: process.env["PATH"], ...usual, ...env };
}

export function startWatch(
  rig: Rig,
  dirs: readonly string[],
  env: Readonly<Record<string, string>> = {},
): WatchProcess {
  const child: ChildProcess = spawn(process.execPath, [ENTRY, "watch", ...dirs, "--json"], {
    cwd: rig.dir,
    env: environment(rig, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = new WatchOutput(child.pid!);
  child.stderr?.on("data", (chunk: Buffer) => output.addErr(chunk.toString("utf8")));
  createInterface({ input: child.stdout! }).on("line", (line) => {
    rig.printed.push(line);
    output.add(JSON.parse(line) as WatchEvent);
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => {
      rig.printed.push(output.err());
      resolve(code ?? signal!);
      output.end();
    });
  });
  return Object.assign(output, { ended, signal: (name: NodeJS.Signals) => void child.kill(name) });
}

/**
 * Runs the daemon in the test's process, which is faster. Tests of signals and kills need a real
 * process.
 */
export function watchInProcess(
  rig: Rig,
  dirs: readonly string[],
  env: Readonly<Record<string, string>> = {},
): InProcessWatch {
  const clock = new LiveClock();
  const ending = new AbortController();
  const output = new WatchOutput(process.pid);
  const ran = rig.run(["watch", ...dirs, "--json"], {
    env: environment(rig, env),
    clock,
    stop: ending.signal,
    onOut: (line) => output.add(JSON.parse(line) as WatchEvent),
    onErr: (line) => output.addErr(`${line}\n`),
  });
  const ended = ran.then(({ code }) => {
    output.end();
    return code;
  });
  return Object.assign(output, { clock, ended, stop: () => ending.abort() });
}

/** The output lines of a daemon. */
class WatchOutput extends Printed<WatchEvent> implements Watching {
  readonly pid: number;
  readonly events = this.lines;

  constructor(pid: number) {
    super();
    this.pid = pid;
    onTestFailed(() => console.error(this.events.map((event) => JSON.stringify(event)).join("\n"), this.err()));
  }
}

/** A linked folder `w` with one document, and the daemons that a test starts for it. */
export type WatchedFolder = Watches & {
  readonly rig: Rig;
  /** Path of the folder's `.mdmirror`. */
  readonly own: string;
  /** Returns the daemon as `status` reports it; null if none runs. */
  daemon(): Promise<{ pid: number; phase: string; paused: boolean } | null>;
};

/** Returns a folder that is opened before each test of the file and closed after it. */
export function useWatchedFolder(): WatchedFolder {
  const rig = useRig();
  beforeEach(async () => {
    rig.write("a.md", "# one\n");
    expect((await rig.init()).code).toBe(0);
  });
  return {
    ...useWatches(rig),
    rig,
    get own() {
      return rig.path(".mdmirror");
    },
    daemon: async () =>
      (await rig.json<{ daemon: Awaited<ReturnType<WatchedFolder["daemon"]>> }>(["status", "w"])).daemon,
  };
}

export function isRun(event: WatchEvent): boolean {
  return event.kind === "run";
}

export function isChange(path: string): (event: WatchEvent) => boolean {
  return (event) => event.kind === "change" && event["path"] === path;
}
