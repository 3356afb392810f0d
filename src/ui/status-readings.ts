import { type FolderStatus, readAllStatuses } from "../mirror/folder/all-statuses.ts";
import { GlanceCache } from "../mirror/folder/glances.ts";
import type { StatusOptions } from "../mirror/folder/status.ts";
import { ok, type Result, trouble } from "../common/trouble.ts";
import { isSameName } from "../mirror/trust/names.ts";
import type { Clock } from "../common/clock.ts";

/**
 * Reads the states of all linked folders. Pages that ask at about the same time share one reading.
 */

type Looked = { readonly mirrors: readonly FolderStatus[]; readonly unfit: readonly string[] };

/** LIMIT: age of a shared reading in milliseconds. */
const FRESH_MS = 250;

type World = StatusOptions & { readonly clock: Clock };

export class StatusReadings {
  readonly #world: World;
  readonly #roots: ReadonlySet<string> | null;
  #last: { readonly at: number; readonly look: Promise<Result<Looked>> } | null = null;

  /** @param roots real paths of the folders to show; null for all of this user's */
  constructor(world: World, roots: ReadonlySet<string> | null) {
    this.#world = { ...world, glances: new GlanceCache() };
    this.#roots = roots;
  }

  all(): Promise<Result<Looked>> {
    const now = this.#world.clock.monotonic();
    if (this.#last === null || now - this.#last.at > FRESH_MS) this.#last = { at: now, look: this.#look() };
    return this.#last.look;
  }

  /** Removes the shared reading, so that the next page reads the states again. */
  forget(): void {
    this.#last = null;
  }

  async one(name: string): Promise<Result<FolderStatus>> {
    const all = await this.all();
    if (all.kind === "trouble") return all;
    const found = all.value.mirrors.find(({ mirror }) => isSameName(mirror.name, name));
    if (found !== undefined) return ok(found);
    return trouble("usage", `no linked folder is named "${name}"`, "choose a folder of the list", {
      code: "no-mirror",
    });
  }

  async #look(): Promise<Result<Looked>> {
    const looked = await readAllStatuses(this.#world);
    if (looked.kind === "trouble" || this.#roots === null) return looked;
    const { mirrors, unfit } = looked.value;
    return ok({ mirrors: mirrors.filter(({ mirror }) => this.#roots!.has(mirror.root)), unfit });
  }
}
