import { type StopView, readStop } from "../mirror/operations/manual/answer-stop.ts";
import type { MirrorStatus } from "../mirror/folder/read-status.ts";
import type { Result } from "../common/trouble.ts";
import type { Changes } from "./changes.ts";
import { troubleOfError } from "./pages/trouble.ts";

/**
 * Finds the changes that a safety check stopped. Finding them takes a scan of both sides, for which
 * a page cannot wait. So the scan starts when a page asks, and again after each run.
 */

/**
 * Result for a page. `since`: start of the scan that is running; until its end, `seen` is the
 * result of the last scan.
 */
export type StopReading = { readonly since: number | null; readonly seen: SeenHalt | null };
type SeenHalt = { readonly at: number; readonly result: Result<StopView> };

type Held = { key: string; since: number | null; seen: SeenHalt | null };
type World = Parameters<typeof readStop>[1] & {
  readonly changes: Changes;
  readonly onFault: (error: unknown) => void;
};

export class Stops {
  readonly #world: World;
  /** Readings by root path of the folder. */
  readonly #held = new Map<string, Held>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Returns the present result for a folder; starts a scan if necessary.
   * @param status of a folder that is stopped
   */
  of(root: string, { safetyStop, lastRun }: Pick<MirrorStatus, "safetyStop" | "lastRun">): StopReading {
    const key = JSON.stringify([safetyStop, lastRun]);
    const held = this.#held.get(root) ?? { key: "", since: null, seen: null };
    this.#held.set(root, held);
    if (held.key !== key && held.since === null) this.#look(root, held, key);
    return { since: held.since, seen: held.seen };
  }

  /**
   * Marks the result of a folder as outdated, so that the next page that asks starts a new scan.
   */
  forget(root: string): void {
    const held = this.#held.get(root);
    if (held !== undefined) held.key = "";
  }

  /** Resolves when no scan is active. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #look(root: string, held: Held, key: string): void {
    const { clock, changes, onFault } = this.#world;
    held.key = key;
    held.since = clock.now();
    const looking = readStop(root, this.#world)
      .catch((error: unknown) => ({ kind: "trouble", trouble: troubleOfError(error, onFault) }) as const)
      .then((result) => {
        held.since = null;
        held.seen = { at: clock.now(), result };
        this.#underWay.delete(looking);
        changes.tell();
      });
    this.#underWay.add(looking);
  }
}
