import type { Progress } from "../../ports/world.ts";

/** From how many steps on the heap may grow: each holds a text for a moment. */
const MANY_STEPS = 1_000;
/** From how many documents on a look at them would make the space for new objects grow. */
const MANY_DOCUMENTS = 2_000;
/** After how many steps the sizes are asked again: that takes some microseconds. */
const ASKED_EVERY = 64;

/**
 * `space`: V8's space for new objects, both halves of it, may grow to about this size. `budget`:
 * how much may be added to what is in use, at least, before garbage is collected: what waits for
 * its commit outlives some collections of new objects, and V8 alone would collect what was promoted
 * when it is some hundred megabytes.
 */
type Bounds = { readonly space: number; readonly budget: number };

const SMALL: Bounds = { space: 4_000_000, budget: 5_000_000 };
/** A plan of so many steps is much by itself, and each collection looks at all of it. */
const LARGE: Bounds = { space: 15_000_000, budget: 30_000_000 };
const LARGE_FROM_STEPS = 30_000;

type HeapUse = {
  /** About how many documents are known before anything is reported. */
  readonly documents: number;
  /** Whether `entry.mjs` has kept the space small from its first lines on. */
  readonly staysLong: boolean;
};

/**
 * Keeps V8's space for new objects small while many documents are looked at, because what a look
 * makes lives on anyway and the space would grow to 64 MB, and lets it grow while many steps run:
 * else texts that are under way do not fit in and are promoted before they are released. What is
 * promoted all the same is collected when it is much.
 *
 * A process that has few documents changes no option of V8: with another option than it was
 * compiled with, no code is taken out of a cache, not even Node's own.
 */
export function withHeapGrowth(progress: Progress, use: HeapUse): Progress {
  return new HeapGrowth(progress, use);
}

class HeapGrowth implements Progress {
  readonly #progress: Progress;
  /** The factor by which the space grows that the process began with. */
  readonly #usual: 1 | 2;
  #space: "as-v8-has-it" | "small" | "growing";
  #bounds = SMALL;
  /** null: few steps run, or none. */
  #budget: Budget | null = null;

  constructor(progress: Progress, { documents, staysLong }: HeapUse) {
    this.#progress = progress;
    this.#usual = staysLong ? 1 : 2;
    this.#space = staysLong ? "small" : "as-v8-has-it";
    if (documents >= MANY_DOCUMENTS) this.#make("small");
  }

  report(...[phase, done, total]: Parameters<Progress["report"]>): void {
    if (phase === "apply" && done === 0) this.#begin(total ?? 0);
    else if (this.#space === "growing" && hasGrown(phase, done, total, this.#bounds)) this.#make("small");
    else if ((phase === "list" || phase === "scan") && done >= MANY_DOCUMENTS) this.#make("small");
    if (phase === "apply" && done > 0 && done % ASKED_EVERY === 0) this.#budget?.keep();
    this.#progress.report(phase, done, total);
  }

  #begin(steps: number): void {
    this.#budget = null;
    if (steps < MANY_STEPS) return;
    this.#bounds = steps < LARGE_FROM_STEPS ? SMALL : LARGE;
    this.#make("growing");
    this.#budget = new Budget(this.#bounds.budget);
  }

  step(...[action, has]: Parameters<NonNullable<Progress["step"]>>): void {
    this.#progress.step?.(action, has);
  }

  #make(space: "small" | "growing"): void {
    if (space === this.#space) return;
    this.#space = space;
    setGrowth(space === "growing" ? 2 : 1, this.#usual);
    // A small space is collected hundreds of times, each of which would wake V8's other threads.
    change(space === "growing" ? "--parallel-scavenge" : "--no-parallel-scavenge", "--parallel-scavenge");
  }
}

function hasGrown(phase: string, done: number, total: number | null, bounds: Bounds): boolean {
  return phase !== "apply" || done === total || (done % ASKED_EVERY === 0 && isEnough(bounds));
}

function setGrowth(factor: 1 | 2, usual: 1 | 2): void {
  change(`--semi-space-growth-factor=${factor}`, `--semi-space-growth-factor=${usual}`);
}

type Collect = (how?: { readonly type: "major"; readonly execution: "sync"; readonly flavor: "last-resort" }) => void;

function takeCollector(): Collect {
  // Node has no other way to it but the inspector's, which takes several times as long.
  change("--expose-gc", "--no-expose-gc");
  return process.getBuiltinModule("node:vm").runInNewContext("gc") as Collect;
}

/** What each changed option is set to again when the process ends. */
const changed = new Set<string>();

/**
 * What Node keeps of compiled code when the process ends is of use under the same options alone, so
 * they are then as they were.
 */
function change(option: string, usual: string): void {
  v8().setFlagsFromString(option);
  if (changed.size === 0)
    process.prependOnceListener("exit", () => {
      for (const one of changed) v8().setFlagsFromString(one);
    });
  changed.add(usual);
}

/** Asked for when it is needed: it takes two milliseconds of a start. */
const v8 = () => process.getBuiltinModule("node:v8");

/**
 * A collection looks at all that stays. Where that is much, as the trees of 100,000 documents that
 * a daemon knows, this share of it may be added: else collections took most of the time.
 */
const SHARE_OF_LIVE = 1 / 10;

/** Collects garbage when much was added since the last time. */
class Budget {
  readonly #collect = takeCollector();
  readonly #bytes: number;
  #most: number;

  /**
   * Begins with what the look and the plan left, so that V8 makes the space for new objects small
   * again: it grew while these were made.
   */
  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#collect({ type: "major", execution: "sync", flavor: "last-resort" });
    this.#most = this.#mostFrom(bytesInUse());
  }

  keep(): void {
    if (bytesInUse() < this.#most) return;
    this.#collect();
    this.#most = this.#mostFrom(bytesInUse());
  }

  #mostFrom(live: number): number {
    return live + Math.max(this.#bytes, live * SHARE_OF_LIVE);
  }
}

/** Of the heap alone: buffers beside it count long after they are freed. */
function bytesInUse(): number {
  return v8().getHeapStatistics().used_heap_size;
}

function isEnough({ space: enough }: Bounds): boolean {
  const space = v8()
    .getHeapSpaceStatistics()
    .find(({ space_name }) => space_name === "new_space");
  return space === undefined || space.space_size >= enough;
}
