import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** Returns a workspace, and a linked folder with translated links; `wiki` for wiki links too. */
export function start(links: true | "wiki" = true): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  return { rig, mirror: rig.mirror({ links }) };
}

/**
 * Syncs once. Returns the number of disk calls.
 * @param act called before each of them
 */
export async function syncWith(mirror: Mirror, act: (call: number) => void): Promise<number> {
  let calls = 0;
  mirror.disk.beforeCall = () => act(++calls);
  await mirror.sync();
  mirror.disk.beforeCall = null;
  return calls;
}
