import type { Progress } from "../../ports/world.ts";

const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");

/** From how many steps on the heap may grow: each holds a text for a moment. */
const MANY_STEPS = 1_000;
/** V8's space for new objects, both halves of it, may grow to about this size. */
const ENOUGH_BYTES = 15_000_000;
/** After how many steps the size is asked again: that takes some microseconds. */
const ASKED_EVERY = 64;

/**
 * Lets V8's space for new objects grow while many steps run: else texts that are under way do not
 * fit in and are promoted before they are released. At any other time it stays as small as
 * `entry.mjs` made it, because what a look makes lives on anyway.
 */
export function withHeapGrowth(progress: Progress): Progress {
  return new HeapGrowth(progress);
}

class HeapGrowth implements Progress {
  readonly #progress: Progress;
  #growing = false;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  report(...[phase, done, total]: Parameters<Progress["report"]>): void {
    if (phase === "apply" && done === 0 && (total ?? 0) >= MANY_STEPS) this.#grow(true);
    else if (this.#growing && (phase !== "apply" || done === total || (done % ASKED_EVERY === 0 && isEnough())))
      this.#grow(false);
    this.#progress.report(phase, done, total);
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

function isEnough(): boolean {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return space === undefined || space.space_size >= ENOUGH_BYTES;
}
