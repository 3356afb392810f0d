import { killAtEachCall, type Pair } from "../simulator/moment.ts";

/**
 * Kills a sync, or other work, at each of its calls. The disk then loses all that is not flushed,
 * and mdmirror starts again.
 * @param judge checks both sides after the restart; gets the number of the call
 * @returns number of power cuts
 */
export function cutPowerAtEachCall(
  start: Pair,
  judge: (restarted: Pair, call: number) => Promise<void>,
  work?: (pair: Pair) => Promise<unknown>,
): Promise<number> {
  start.mirror.disk.settle();
  return killAtEachCall(start, {
    ...(work === undefined ? {} : { work }),
    async judge({ rig, mirror }, call, lived) {
      if (lived) return;
      mirror.disk.losePower(() => 0);
      await judge({ rig, mirror: rig.mirror({}, mirror.copyAfterPowerCut()) }, call);
    },
  });
}
