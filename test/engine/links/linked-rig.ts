import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** Returns a workspace, and a linked folder with translated links. */
export function start(): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  return { rig, mirror: rig.mirror({ links: true }) };
}

export function remoteText(rig: Rig, path: string): string {
  return rig.app.files().get(path)!.text;
}

export function remoteId(rig: Rig, path: string): string {
  return rig.app.files().get(path)!.id;
}
