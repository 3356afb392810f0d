import { type Action, getSubject } from "../model/action.ts";
import type { Progress } from "../ports/world.ts";
import type { CurrentTraffic } from "./control/protocol.ts";

/**
 * LIMIT: number of active effects that a status lists, so that the status stays short. Hundreds of
 * effects can be active at the same time.
 */
const MAX_LISTED_EFFECTS = 12;

export class ActiveEffects implements Progress {
  readonly #active = new Set<Action>();
  #done = 0;
  #total = 0;

  report(...[phase, done, total]: Parameters<Progress["report"]>): void {
    if (phase !== "apply") return;
    this.#done = done;
    this.#total = total ?? done;
  }

  step(...[action, has]: Parameters<NonNullable<Progress["step"]>>): void {
    if (has === "begun") this.#active.add(action);
    else this.#active.delete(action);
  }

  /** Returns the active effects; null if there are none. */
  now(): CurrentTraffic | null {
    if (this.#active.size === 0) return null;
    const listedEffects = [...this.#active.values().take(MAX_LISTED_EFFECTS)].map((action) => ({
      kind: action.kind,
      path: getSubject(action).path,
    }));
    return {
      done: this.#done,
      total: this.#total,
      under: listedEffects,
      more: this.#active.size - listedEffects.length,
    };
  }
}
