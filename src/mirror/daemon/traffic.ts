import type { Action } from "../model/action.ts";
import type { Progress } from "../ports/world.ts";
import type { CurrentTraffic } from "./control/protocol.ts";

/** LIMIT: effects that are listed; some hundred can be active at a time. */
const MOST_EFFECTS = 12;

/** The current transfers of a run. */
export class Traffic implements Progress {
  readonly #under = new Set<Action>();
  #done = 0;
  #total = 0;

  report(...[phase, done, total]: Parameters<Progress["report"]>): void {
    if (phase !== "apply") return;
    this.#done = done;
    this.#total = total ?? done;
  }

  step(...[action, has]: Parameters<NonNullable<Progress["step"]>>): void {
    if (has === "begun") this.#under.add(action);
    else this.#under.delete(action);
  }

  /** Returns the current transfers; null if there are none. */
  now(): CurrentTraffic | null {
    if (this.#under.size === 0) return null;
    const under = [...this.#under.values().take(MOST_EFFECTS)].map((action) => ({
      kind: action.kind,
      path: pathOf(action),
    }));
    return { done: this.#done, total: this.#total, under, more: this.#under.size - under.length };
  }
}

/** Returns the local path of an action; "" if the action has only its document's id. */
function pathOf(action: Action): string {
  if ("localPath" in action) return action.localPath;
  return "to" in action ? action.to : "";
}
