import type { EditorWait } from "../../src/mirror/engine/run/world.ts";
import { swapBlock } from "../simulator/runs/user-folder.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import type { RamDiskOptions } from "../simulator/ram-disk.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/** A linked folder that does not replace files which somebody is editing. */

export const MINUTE = 60_000;
export const WAIT_FOR_EDITORS: EditorWait = { unchangedMs: 2_000, openMs: 10 * MINUTE, sleeps: false };
export const SWAP_PATH = `${ROOT}/.note.md.swp`;
export const TEXT = "# Note\n\none\n\ntwo\n\nthree\n";

export async function withNote(disk: RamDiskOptions = {}): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  for (let n = 0; n < 12; n++) rig.app.create(`other-${n}.md`, `other ${n}\n`);
  rig.app.create("note.md", TEXT);
  const mirror = rig.mirror({ disk });
  await mirror.sync();
  return { rig, mirror };
}

/** Sets the disk's clock to the machine's. */
export function syncDiskClock({ rig, mirror }: { rig: Rig; mirror: Mirror }): void {
  mirror.disk.advance(rig.clock.now() - mirror.disk.now());
}

/** Swap file of an editor on another machine, so mdmirror cannot check whether its process runs. */
export const OPEN_SWAP_FILE = swapBlock(4_711, "elsewhere");
