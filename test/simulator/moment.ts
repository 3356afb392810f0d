import type { Mirror, MirrorCopy, MirrorOptions } from "./mirror.ts";
import { createRig, type Deployment, type Rig, type RigCopy } from "./rig.ts";

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
}
