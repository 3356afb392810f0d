import type { EditorWait } from "../../src/mirror/engine/run/world.ts";
import { swapBlock } from "../simulator/runs/editors.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import type { RamDiskOptions } from "../simulator/ram-disk.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/** A note of a mirror that leaves alone what somebody has in hand. */

export const MINUTE = 60_000;
export const HANDS: EditorWait = { unchangedMs: 2_000, openMs: 10 * MINUTE, sleeps: false };
export const SWAP = `${ROOT}/.note.md.swp`;
export const TEXT = "# Note\n\none\n\ntwo\n\nthree\n";

export async function withNote(disk: RamDiskOptions = {}): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  for (let n = 0; n < 12; n++) rig.app.create(`other-${n}.md`, `other ${n}\n`);
  rig.app.create("note.md", TEXT);
  const mirror = rig.mirror({ disk });
  await mirror.sync();
  return { rig, mirror };
}

/** The disk's clock is the machine's from now on. */
export function setDisk({ rig, mirror }: { rig: Rig; mirror: Mirror }): void {
  mirror.disk.advance(rig.clock.now() - mirror.disk.now());
}

/** A process of another machine, so that nothing shows if it is running. */
export const OPEN = swapBlock(4_711, "elsewhere");
