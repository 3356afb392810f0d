import { stateSeal } from "../state/folder-rows.ts";
import { glanceAtState } from "../state/glance.ts";

/** Glances at states that are looked at again and again: one that did not change is not read. */

/** LIMIT: mirrors whose glance is kept. */
const MOST = 128;

type Glanced = ReturnType<typeof glanceAtState>;

export class Glances {
  readonly #kept = new Map<string, { readonly seal: string; readonly glanced: Glanced }>();

  /** @param folder absolute path of `.mdmirror` */
  at(folder: string): Glanced {
    // ORDER: the seal first: what is written after it is read at the next look.
    const seal = stateSeal(folder);
    const before = this.#kept.get(folder);
    if (before?.seal === seal) return before.glanced;
    const glanced = glanceAtState(folder);
    this.#kept.delete(folder);
    if (glanced.kind === "read") this.#kept.set(folder, { seal, glanced });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST) this.#kept.delete(oldest!);
    return glanced;
  }
}
