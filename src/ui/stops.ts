/**
 * Finds the changes that a safety check stopped. Finding them needs a scan of both sides, which
 * takes too long for a page. So the scan starts when a page asks for its result, and again after
 * each run.
 */

import { type StopView, readStop } from "../mirror/operations/manual/answer-stop.ts";
import type { MirrorStatus } from "../mirror/folder/status.ts";
import type { Result } from "../common/trouble.ts";
import { type Jobs, troubleOrFault } from "./jobs.ts";

/**
 * Result for a page. `isScanning`: a scan is running; until its end, `seen` is the result of the
 * last scan, with its time.
 */
export type StopReading = {
  readonly isScanning: boolean;
  readonly seen: { readonly scannedAt: number; readonly result: Result<StopView> } | null;
};

type World = Parameters<typeof readStop>[1] & {
  readonly jobs: Jobs;
  readonly onFault: (error: unknown) => void;
};

export class Stops {
  readonly #world: World;
  /** Readings by root path of the folder. `key`: state of the folder at the start of the scan. */
  readonly #kept = new Map<string, StopReading & { readonly key: string }>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Returns the current result for a folder; starts a scan if necessary.
   * @param status of a folder that is stopped
   */
  of(root: string, { safetyStop, lastRun }: Pick<MirrorStatus, "safetyStop" | "lastRun">): StopReading {
    const key = JSON.stringify([safetyStop, lastRun]);
    const kept = this.#kept.get(root);
    if (kept !== undefined && (kept.key === key || kept.isScanning)) return kept;
    const reading = { key, isScanning: true, seen: kept?.seen ?? null };
    this.#kept.set(root, reading);
    this.#world.jobs.track(this.#scan(root));
    return reading;
  }

  /** Returns the number of files that a rejection of the last seen stop restores. */
  filesBack(root: string): number {
    const result = this.#kept.get(root)?.seen?.result;
    const back = result?.kind === "ok" ? result.value.back : null;
    return back?.kind === "ok" ? back.value.filter(({ kind }) => kind === "file-back").length : 0;
  }

  /** Marks the result of a folder as outdated: the next page that asks for it starts a new scan. */
  forget(root: string): void {
    const kept = this.#kept.get(root);
    if (kept !== undefined) this.#kept.set(root, { ...kept, key: "" });
  }

  async #scan(root: string): Promise<void> {
    const { clock, onFault } = this.#world;
    const result = await readStop(root, this.#world).catch(
      (error: unknown) => ({ kind: "trouble", trouble: troubleOrFault(error, onFault) }) as const,
    );
    this.#kept.set(root, { ...this.#kept.get(root)!, isScanning: false, seen: { scannedAt: clock.now(), result } });
  }
}
