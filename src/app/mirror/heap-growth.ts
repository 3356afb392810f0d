import type { Progress } from "../../ports/world.ts";

const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");

/** From so many steps on: each holds a text for a moment. */
const MANY_STEPS = 1_000;
/** V8's space for new objects, both halves of it, may grow to about so much. */
const ENOUGH_BYTES = 15_000_000;
/** Asked so often, in steps: it takes some microseconds. */
const ASKED_EVERY = 64;

/**
 * Gives V8's space for new objects leave to grow while many steps are carried out: else the texts
 * that are under way, more than it holds, are taken for old before they are let go. At any other
 * time it stays as small as `entry.mjs` left it, for what a look makes lives on anyway.
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
