import type { Progress } from "../../ports/world.ts";

const { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");

/** From how many steps on the heap may grow: each holds a text for a moment. */
const MANY_STEPS = 1_000;
/** V8's space for new objects, both halves of it, may grow to about this size. */
const ENOUGH_BYTES = 15_000_000;
/** After how many steps the size is asked again: that takes some microseconds. */
const ASKED_EVERY = 64;

/**
 * How much may be added to what is in use before garbage is collected. A text that waits for its
 * commit outlives some collections of new objects, and V8 alone would collect what was promoted
 * when it is some hundred megabytes.
 */
const BUDGET_BYTES = 24_000_000;

/**
 * Lets V8's space for new objects grow while many steps run: else texts that are under way do not
 * fit in and are promoted before they are released. At any other time it stays as small as
 * `entry.mjs` keeps it from its first lines on, because what a look makes lives on anyway. What is
 * promoted all the same is collected when it is much.
 */
export function withHeapGrowth(progress: Progress): Progress {
  return new HeapGrowth(progress);
}

class HeapGrowth implements Progress {
  readonly #progress: Progress;
  #growing = false;
  /** null: few steps run, or none. */
  #budget: Budget | null = null;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  report(...[phase, done, total]: Parameters<Progress["report"]>): void {
    if (phase === "apply" && done === 0 && (total ?? 0) >= MANY_STEPS) this.#grow(true);
    else if (this.#growing && (phase !== "apply" || done === total || (done % ASKED_EVERY === 0 && isEnough())))
      this.#grow(false);
    this.#keepSmall(phase, done, total);
    this.#progress.report(phase, done, total);
  }

  #keepSmall(...[phase, done, total]: Parameters<Progress["report"]>): void {
    if (phase !== "apply") return;
    if (done === 0) this.#budget = (total ?? 0) >= MANY_STEPS ? new Budget() : null;
    else if (done % ASKED_EVERY === 0) this.#budget?.keep();
  }

  step(...[action, has]: Parameters<NonNullable<Progress["step"]>>): void {
    this.#progress.step?.(action, has);
  }

  #grow(on: boolean): void {
    if (on === this.#growing) return;
    this.#growing = on;
    setFlagsFromString(`--semi-space-growth-factor=${on ? 2 : 1}`);
  }
}

/** Collects garbage when much was added since the last time. */
class Budget {
  readonly #collect: () => void;
  #least = 0;

  constructor() {
    // Node has no other way to it but the inspector's, which takes several times as long.
    setFlagsFromString("--expose-gc");
    this.#collect = process.getBuiltinModule("node:vm").runInNewContext("gc") as () => void;
  }

  keep(): void {
    if (bytesInUse() < this.#least + BUDGET_BYTES) return;
    this.#collect();
    this.#least = bytesInUse();
  }
}

/** Of the heap alone: buffers beside it count long after they are freed. */
function bytesInUse(): number {
  return getHeapStatistics().used_heap_size;
}

function isEnough(): boolean {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space === undefined || space.space_size >= ENOUGH_BYTES;
}
