import type { Mirror, MirrorCopy, MirrorOptions } from "./mirror.ts";
import { createRig, type Deployment, type Rig, type RigCopy } from "./rig.ts";

/** A service and one of its mirrors. */
export type Pair = { readonly rig: Rig; readonly mirror: Mirror };

/**
 * A copy of everything that outlives a process, on both sides. Tests that kill at each call start
 * each attempt from it. Time and random numbers continue as without the copy. Not included: open
 * handles, faults of the disk, and the deployment's `fault`.
 */
export class Moment {
  readonly rig: RigCopy;
  readonly mirror: MirrorCopy;

  constructor({ rig, mirror }: Pair) {
    this.rig = rig.copy();
    this.mirror = mirror.copy();
  }

  /**
   * Opens both sides as they were at this moment, any number of times.
   * @param deployment of the copied rig
   * @param options of the copied mirror
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
