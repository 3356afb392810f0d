import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { openRig, type Rig } from "./rig.ts";
import { startWatch, type WatchEvent, type WatchHere, watchHere, type WatchProcess } from "./watcher.ts";

/** A linked folder `w` with one document, and the daemons that a test starts over it. */
export class WatchedFolder {
  #rig: Rig | null = null;
  readonly #running: WatchProcess[] = [];
  readonly #here: WatchHere[] = [];

  get rig(): Rig {
    return this.#rig!;
  }

  /** The mirror's own folder. */
  get own(): string {
    return join(this.rig.root, ".mdmirror");
  }

  async open(): Promise<void> {
    this.#rig = await openRig();
    this.rig.write("a.md", "# one\n");
    expect((await this.rig.init()).code).toBe(0);
  }

  async close(): Promise<void> {
    for (const watch of this.#running) watch.signal("SIGKILL");
    for (const watch of this.#running) await watch.ended;
    this.#running.length = 0;
    for (const watch of this.#here) watch.stop();
    for (const watch of this.#here) await watch.ended;
    this.#here.length = 0;
    await this.rig.close();
  }

  /** A process. */
  start(dirs: readonly string[] = ["w"], env: Readonly<Record<string, string>> = {}): WatchProcess {
    const watch = startWatch(this.rig, dirs, env);
    this.#running.push(watch);
    return watch;
  }

  /** In this process, with a clock that can be made to run faster. */
  startHere(dirs: readonly string[] = ["w"], env: Readonly<Record<string, string>> = {}): WatchHere {
    const watch = watchHere(this.rig, dirs, env);
    this.#here.push(watch);
    return watch;
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
    const { out } = await this.rig.run(["status", "w", "--json"]);
    const { daemon } = JSON.parse(out[0]!) as { daemon: { pid: number; phase: string; paused: boolean } | null };
    return daemon;
  }
}

/** A folder that is opened before each test of the file, and closed after it. */
export function useWatchedFolder(): WatchedFolder {
  const folder = new WatchedFolder();
  beforeEach(() => folder.open());
  afterEach(() => folder.close());
  return folder;
}

export function isRun(event: WatchEvent): boolean {
  return event.kind === "run";
}

export function isChange(path: string): (event: WatchEvent) => boolean {
  return (event) => event.kind === "change" && event["path"] === path;
}
