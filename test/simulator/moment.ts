import type { Mirror, MirrorCopy, MirrorOptions } from "./mirror.ts";
import { createRig, type Deployment, type Rig, type RigCopy } from "./rig.ts";

/** A service and a mirror of it. */
export type Pair = { readonly rig: Rig; readonly mirror: Mirror };

/**
 * Everything that outlives a process, on both sides: the start of each attempt of a test that kills
 * at every call. Time and random numbers continue as they would have. Not included: open handles,
 * faults of the disk, and the deployment's `fault`.
 */
export class Moment {
  readonly rig: RigCopy;
  readonly mirror: MirrorCopy;

  constructor({ rig, mirror }: Pair) {
    this.rig = rig.copy();
    this.mirror = mirror.copy();
  }

  /**
   * Continues both sides from this moment, any number of times.
   * @param deployment that of the copied rig
   * @param options those of its mirror
   */
  open(deployment: Deployment = {}, options: MirrorOptions = {}): Pair {
    const rig = createRig(0, deployment, undefined, this.rig);
    return { rig, mirror: rig.mirror(options, this.mirror) };
  }

  /** Returns true if both moments have the same bytes, also after a power cut. */
  equals(other: Moment): boolean {
    const [one, two] = [bytesOf(this), bytesOf(other)];
    return one.every((bytes, n) => Buffer.compare(bytes, two[n]!) === 0);
  }
}

function bytesOf({ rig, mirror: { disk, rows, texts, safe } }: Moment): Uint8Array[] {
  return [rig.database, disk, rows, texts, safe?.rows ?? rows, safe?.texts ?? texts];
}
