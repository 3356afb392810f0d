import type { Action } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { RemoteFile } from "../../model/tree.ts";
import type { PassEnd } from "../run/pass-context.ts";
import type { World } from "../run/world.ts";
import { choosePlace, type HotPlaceCheck, checkHotPlace } from "./hot-check.ts";
import { HotPlaces } from "./hot-places.ts";
import type { RequestBudget } from "./request-budget.ts";
import type { DaemonTiming } from "./timing.ts";

/** LIMIT: steps of a run that still show where somebody works; more are a bulk change. */
const MOST_STEPS = 200;
/** LIMIT: new places per run, because choosing one reads every link. */
const MOST_CHOSEN = 4;

/** Keeps the places where somebody works, and looks at them. */
export class HotWatch {
  readonly #world: World;
  readonly #budget: RequestBudget;
  readonly #places: HotPlaces;

  constructor(world: World, budget: RequestBudget, { pollActiveMs, hotMostMs }: DaemonTiming) {
    this.#world = world;
    this.#budget = budget;
    this.#places = new HotPlaces(pollActiveMs, hotMostMs);
  }

  /** @param documents number of documents in the workspace */
  noteRun(end: PassEnd, documents: number, now: number): void {
    if (end.kind === "offline" || end.ends.length > MOST_STEPS) return;
    let chosen = 0;
    const choose = (path: LocalPath) => {
      chosen++;
      return chosen > MOST_CHOSEN ? null : choosePlace(this.#world.state, path, this.#budget.pageSize(documents));
    };
    for (const [index, { action }] of end.plan.steps.entries())
      if (end.ends[index]?.kind === "ran")
        for (const path of pathsOf(action)) this.#places.heat(path, now, () => choose(path));
  }

  dueAt(): number | null {
    return this.#places.dueAt();
  }

  /** Looks at the places that are due, in parallel. */
  async look(documents: number, now: number): Promise<HotPlaceCheck> {
    const due = this.#places.take(now, this.#budget.aMinute(now));
    const page = this.#budget.pageSize(documents);
    const looks = await Promise.all(due.map((hot) => checkHotPlace(this.#world, hot, page)));
    const files = new Map<string, RemoteFile>();
    for (const [index, look] of looks.entries()) {
      if (look === null) this.#places.drop(due[index]!);
      for (const file of look?.files ?? []) files.set(file.id, file);
    }
    return { files: [...files.values()], needsAll: looks.some((look) => look?.needsAll === true) };
  }
}

/** Returns the local paths at which an action shows that somebody works; of a move, both. */
function pathsOf(action: Action): readonly LocalPath[] {
  if (action.kind === "move-local" || action.kind === "move-folder-local") return [action.from, action.to];
  if ("localPath" in action) return [action.localPath];
  return "stands" in action ? [action.stands] : [];
}
