import type { DocId } from "../../../contract/ids.ts";
import { type LocalPath, isBelow, parentOf } from "../../../contract/path.ts";

/**
 * A part of the workspace that is asked for by itself. `subtree`: a folder with all below it, in
 * one page; `folder`: the documents directly in a folder; `document`: one, where its folder has too
 * many or is the root, which no list can be asked for.
 */
export type Place =
  | { readonly kind: "subtree" | "folder"; readonly path: LocalPath }
  | { readonly kind: "document"; readonly path: LocalPath; readonly id: DocId };

/** A place where somebody works, on either side. Times are monotonic. */
export type HotPlace = {
  readonly place: Place;
  /** When something of it last changed. */
  changedAt: number;
  nextAt: number;
  /** Requests of a look at it. */
  cost: number;
  /** The digest of what was last shown; null: nothing yet. */
  shown: string | null;
  /** What is there otherwise than in base, and was judged so already. */
  odd: ReadonlyMap<DocId, string>;
  /** Documents of base that were not there, which a look at everything has been asked to judge. */
  absent: ReadonlySet<DocId>;
};

/** LIMIT: how many places are asked for by themselves. */
const MOST = 16;
/** How much of the budget they may take altogether; the rest is for looks at everything. */
const SHARE = 0.7;
/** The interval grows with the time in which nothing changed there: a thirtieth of it. */
const COOLING = 30;
/** Times of several places that are so near to each other are one turn, in milliseconds. */
const TOGETHER_MS = 250;

/** The places where somebody works: which are asked for, and when. */
export class HotPlaces {
  readonly #leastMs: number;
  readonly #mostMs: number;
  readonly #places: HotPlace[] = [];

  /**
   * @param leastMs between two looks at a place where something has just changed
   * @param mostMs a place that cooled to this interval is no longer asked for by itself
   */
  constructor(leastMs: number, mostMs: number) {
    this.#leastMs = leastMs;
    this.#mostMs = mostMs;
  }

  /**
   * A document changed, on either side.
   * @param choose chooses the place to ask for; null: none can be asked for
   */
  heat(path: LocalPath, now: number, choose: () => Place | null): void {
    const known = this.#places.find(({ place }) => covers(place, path));
    if (known !== undefined) {
      known.changedAt = now;
      known.nextAt = Math.min(known.nextAt, now + this.#leastMs);
      return;
    }
    const place = choose();
    if (place === null) return;
    const nextAt = now + this.#leastMs;
    this.#places.push({ place, changedAt: now, nextAt, cost: 1, shown: null, odd: new Map(), absent: new Set() });
    if (this.#places.length > MOST) this.drop(this.#places.reduce((a, b) => (b.changedAt < a.changedAt ? b : a)));
  }

  drop(place: HotPlace): void {
    const at = this.#places.indexOf(place);
    if (at !== -1) this.#places.splice(at, 1);
  }

  count(): number {
    return this.#places.length;
  }

  /** When the next look is due; null: nothing is hot. */
  dueAt(): number | null {
    return this.#places.reduce<number | null>((least, { nextAt }) => Math.min(least ?? nextAt, nextAt), null);
  }

  /**
   * The places that are due, whose next look is planned then.
   * @param aMinute requests a minute that all looks may cost
   */
  take(now: number, aMinute: number): HotPlace[] {
    for (const place of [...this.#places]) if (this.#interval(place, now) >= this.#mostMs) this.drop(place);
    let wanted = 0;
    for (const place of this.#places) wanted += (place.cost * 60_000) / this.#interval(place, now);
    const slower = Math.max(1, wanted / (SHARE * aMinute));
    const due = this.#places.filter(({ nextAt }) => nextAt <= now + TOGETHER_MS);
    for (const place of due) place.nextAt = now + this.#interval(place, now) * slower;
    return due;
  }

  #interval({ changedAt }: HotPlace, now: number): number {
    return Math.max(this.#leastMs, (now - changedAt) / COOLING);
  }
}

function covers(place: Place, path: LocalPath): boolean {
  if (place.kind === "document") return place.path === path;
  return place.kind === "subtree" ? isBelow(path, place.path) : parentOf(path) === place.path;
}
