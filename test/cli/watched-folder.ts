import { beforeEach, expect } from "vitest";
import { type Rig, useRig } from "./rig.ts";
import { useWatches, type Watches, type WatchEvent, type WatchHere, type WatchProcess } from "./watcher.ts";

/** A linked folder `w` with one document, and the daemons that a test starts over it. */
class WatchedFolder {
  readonly rig: Rig;
  /** Starts a process. */
  readonly start: Watches["start"];
  /** Starts a watch in this process, with a clock that can be made to run faster. */
  readonly startHere: Watches["startHere"];

  constructor(rig: Rig, { start, startHere }: Watches) {
    this.rig = rig;
    this.start = start;
    this.startHere = startHere;
  }

  /** The mirror's own folder. */
  get own(): string {
    return this.rig.path(".mdmirror");
  }

  /** Ready: its first look is over, so what changes from now on is seen. */
  async watchingHere(dirs?: readonly string[], env?: Readonly<Record<string, string>>): Promise<WatchHere> {
    const watch = this.startHere(dirs, env);
    await watch.until(isRun);
    return watch;
  }

  /** The same, as a process. */
  async watching(dirs?: readonly string[], env?: Readonly<Record<string, string>>): Promise<WatchProcess> {
    const watch = this.start(dirs, env);
    await watch.until(isRun);
    return watch;
  }

  /** What `status` says of the daemon; null: there is none. */
  async daemon(): Promise<{ pid: number; phase: string; paused: boolean } | null> {
    return (await this.rig.json<{ daemon: Awaited<ReturnType<WatchedFolder["daemon"]>> }>(["status", "w"])).daemon;
  }
}

/** A folder that is opened before each test of the file, and closed after it. */
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
