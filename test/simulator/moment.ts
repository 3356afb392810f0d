import { describeDisk } from "./ram-same.ts";
import type { Mirror, MirrorCopy, MirrorOptions } from "./mirror.ts";
import type { Rig, RigCopy } from "./rig.ts";
import { createRig, type Deployment } from "./rig.ts";

/** A service and a mirror of it. */
export type Pair = { readonly rig: Rig; readonly mirror: Mirror };

/**
 * All that outlives a process, on both sides, as it was: what a test that kills at every call
 * begins from each time. Time goes on, and dice fall, as they would have. What is not of it: open
 * handles, faults of the disk, and the deployment's `fault`.
 */
export class Moment {
  readonly rig: RigCopy;
  readonly mirror: MirrorCopy;
  #disk: string | null = null;

  constructor({ rig, mirror }: Pair) {
    this.rig = rig.copy();
    this.mirror = mirror.copy();
  }

  /**
   * Both sides go on from here; as often as wanted.
   * @param deployment as that of the rig that was copied
   * @param options as those of its mirror
   */
  open(deployment: Deployment = {}, options: MirrorOptions = {}): Pair {
    const rig = createRig(0, deployment, undefined, this.rig);
    return { rig, mirror: rig.mirror(options, this.mirror) };
  }

  #describeDisk(): string {
    this.#disk ??= describeDisk(this.mirror.disk);
    return this.#disk;
  }

  /**
   * Byte for byte, dice and clocks as well: whatever is done next ends as it would there. Requests
   * that were sent are looked at, too.
   */
  equals(other: Moment): boolean {
    const [a, b] = [this.rig, other.rig];
    return (
      a.dice === b.dice &&
      a.elapsed === b.elapsed &&
      a.requests === b.requests &&
      a.key === b.key &&
      isSameDatabase(a.database, b.database) &&
      isSameDatabase(this.mirror.rows, other.mirror.rows) &&
      isSameDatabase(this.mirror.texts, other.mirror.texts) &&
      this.#describeDisk() === other.#describeDisk() &&
      JSON.stringify([[...a.renames], this.mirror.requests]) === JSON.stringify([[...b.renames], other.mirror.requests])
    );
  }
}

/** What kills left, one after another. */
export class Leftovers {
  #last: Moment | null = null;

  /** Whether it is what the kill before left: all that follows was judged then. */
  areAgain(pair: Pair): boolean {
    const left = new Moment(pair);
    const again = this.#last?.equals(left) ?? false;
    this.#last = left;
    return again;
  }
}

/**
 * SQLite's count of changes to the file, in its header twice, with the version of SQLite that
 * counted: a copy begins anew to count.
 */
const COUNTS = [
  [24, 28],
  [92, 100],
] as const;

/** Byte for byte, but for those counts. */
function isSameDatabase(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let from = 0;
  for (const [start, end] of [...COUNTS, [a.length, a.length] as const]) {
    if (Buffer.compare(a.subarray(from, start), b.subarray(from, start)) !== 0) return false;
    from = end;
  }
  return true;
}
