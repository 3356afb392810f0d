import { beforeEach, expect } from "vitest";
import { type Rig, useRig } from "./rig.ts";
import { useWatches, type Watches, type WatchEvent, type InProcessWatch, type WatchProcess } from "./watcher.ts";

/** A linked folder `w` with one document, and the daemons that a test starts for it. */
class WatchedFolder {
  readonly rig: Rig;
  /** Starts the daemon as a process. */
  readonly start: Watches["start"];
  /** Starts the daemon in this process, with a clock that the test can speed up. */
  readonly startHere: Watches["startHere"];

  constructor(rig: Rig, { start, startHere }: Watches) {
    this.rig = rig;
    this.start = start;
    this.startHere = startHere;
  }

  /** Path of the folder's `.mdmirror`. */
  get own(): string {
    return this.rig.path(".mdmirror");
  }

  /**
   * Starts a daemon in this process. Resolves when its first cycle is over, so it notices every
   * later change.
   */
  async watchingHere(dirs?: readonly string[], env?: Readonly<Record<string, string>>): Promise<InProcessWatch> {
    const watch = this.startHere(dirs, env);
    await watch.until(isRun);
    return watch;
  }

  /** Starts a daemon as a process. Resolves when its first cycle is over. */
  async watching(dirs?: readonly string[], env?: Readonly<Record<string, string>>): Promise<WatchProcess> {
    const watch = this.start(dirs, env);
    await watch.until(isRun);
    return watch;
  }

  /** Returns the daemon as `status` reports it; null if none runs. */
  async daemon(): Promise<{ pid: number; phase: string; paused: boolean } | null> {
    return (await this.rig.json<{ daemon: Awaited<ReturnType<WatchedFolder["daemon"]>> }>(["status", "w"])).daemon;
  }
}

/** Returns a folder that is opened before each test of the file and closed after it. */
export function useWatchedFolder(): WatchedFolder {
  const rig = useRig();
  beforeEach(async () => {
    rig.write("a.md", "# one\n");
    expect((await rig.init()).code).toBe(0);
  });
  return new WatchedFolder(rig, useWatches(rig));
}

export function isRun(event: WatchEvent): boolean {
  return event.kind === "run";
}

export function isChange(path: string): (event: WatchEvent) => boolean {
  return (event) => event.kind === "change" && event["path"] === path;
}
