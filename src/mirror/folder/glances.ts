import { BoundedMap } from "../../common/bounded-map.ts";
import { stateSeal } from "../state/folder-rows.ts";
import { glanceAtState } from "../state/glance.ts";

/**
 * Caches summaries of state files for processes that read them repeatedly. An unchanged state file
 * is not read again.
 */

/** LIMIT: linked folders whose summary is cached. */
const MOST = 128;

type Glanced = ReturnType<typeof glanceAtState>;

export class GlanceCache {
  readonly #kept = new BoundedMap<string, { readonly seal: string; readonly glanced: Glanced }>(MOST);

  /** @param folder absolute path of `.mdmirror` */
  at(folder: string): Glanced {
    // ORDER: the seal is read before the state, so that a write in between causes another reading
    // next time.
    const seal = stateSeal(folder);
    const before = this.#kept.get(folder);
    if (before?.seal === seal) return before.glanced;
    const glanced = glanceAtState(folder);
    this.#kept.delete(folder);
    if (glanced.kind === "read") this.#kept.set(folder, { seal, glanced });
    return glanced;
  }
}
