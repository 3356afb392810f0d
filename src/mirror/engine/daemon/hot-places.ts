import type { DocId } from "../../../contract/ids.ts";
import { type LocalPath, isBelow, parentOf } from "../../../contract/path.ts";

/**
 * A part of the workspace that is listed separately. `subtree`: a folder with everything below it,
 * on one page. `folder`: the documents directly in a folder. `document`: a single document, because
 * its folder has too many, or is the root, to which no listing can be limited.
 */
export type HotLocation =
  | { readonly kind: "subtree" | "folder"; readonly path: LocalPath }
  | { readonly kind: "document"; readonly path: LocalPath; readonly id: DocId };

/** A place where somebody is working, on either side. Times are monotonic. */
export type HotPlace = {
  readonly place: HotLocation;
  /** Time of the last change of a document in this place. */
  changedAt: number;
  nextAt: number;
  /** Number of requests that one listing of the place needs. */
  cost: number;
};

/** LIMIT: places that are listed separately. */
const MOST_PLACES = 16;
/** Share of the budget that all places together may use; the rest is for listings of everything. */
const PLACES_SHARE = 0.7;
/** Divisor: a place is listed at intervals of the time since its last change, divided by this
 * number. */
const COOLING = 30;
/** Listings that are due within this many milliseconds of each other are made together. */
const TOGETHER_MS = 250;

/** Keeps the places where somebody is working, and the time of the next listing of each. */
export class HotPlaces {
  readonly #leastMs: number;
  readonly #mostMs: number;
  readonly #places: HotPlace[] = [];

  /**
   * @param leastMs interval right after a change in the place
   * @param mostMs longest interval; a place that reaches it is no longer listed separately
   */
  constructor(leastMs: number, mostMs: number) {
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
  }

  /**
   * Records that a document changed, on either side.
   * @param choose chooses the place to list; null if no place can be listed
   */
  markActive(path: LocalPath, now: number, choose: () => HotLocation | null): void {
    const known = this.#places.find(({ place }) => covers(place, path));
    if (known !== undefined) {
      known.changedAt = now;
      known.nextAt = Math.min(known.nextAt, now + this.#leastMs);
      return;
    }
    const place = choose();
    if (place === null) return;
    this.#places.push({ place, changedAt: now, nextAt: now + this.#leastMs, cost: 1 });
    if (this.#places.length > MOST_PLACES)
      this.drop(this.#places.reduce((a, b) => (b.changedAt < a.changedAt ? b : a)));
  }

  drop(place: HotPlace): void {
    const at = this.#places.indexOf(place);
    if (at !== -1) this.#places.splice(at, 1);
  }

  /** Returns the time of the next request; null: there is no place. */
  dueAt(): number | null {
    return this.#places.reduce<number | null>((least, { nextAt }) => Math.min(least ?? nextAt, nextAt), null);
  }

  /**
   * Returns the places that are due, and schedules their next requests.
   * @param requestsAMinute requests per minute that all places together may use
   */
  take(now: number, requestsAMinute: number): HotPlace[] {
    for (const place of [...this.#places]) if (this.#interval(place, now) >= this.#mostMs) this.drop(place);
    let wanted = 0;
    for (const place of this.#places) wanted += (place.cost * 60_000) / this.#interval(place, now);
    const slower = Math.max(1, wanted / (PLACES_SHARE * requestsAMinute));
    const due = this.#places.filter(({ nextAt }) => nextAt <= now + TOGETHER_MS);
    for (const place of due) place.nextAt = now + this.#interval(place, now) * slower;
    return due;
  }

  #interval({ changedAt }: HotPlace, now: number): number {
    return Math.max(this.#leastMs, (now - changedAt) / COOLING);
  }
}

function covers(place: HotLocation, path: LocalPath): boolean {
  if (place.kind === "document") return place.path === path;
  return place.kind === "subtree" ? isBelow(path, place.path) : parentOf(path) === place.path;
}
