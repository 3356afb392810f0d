import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** Returns a workspace, and a linked folder with translated links. */
export function start(): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  return { rig, mirror: rig.mirror({ links: true }) };
}
