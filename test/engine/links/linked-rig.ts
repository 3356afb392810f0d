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

/** Returns a linked folder in sync, with three documents that link to each other. */
export async function syncThree(): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = start();
  mirror.write("a.md", "# Refunds\n\n[b](sub/b.md) [c](c.md)\n\nwho is paid back, and when\n");
  mirror.write("c.md", "# Billing\n\n[a](a.md) [b](sub/b.md)\n");
  mirror.write("sub/b.md", "# Travel\n\n[c](../c.md) [a](../a.md)\n\nwhich trains and which hotels\n");
  await mirror.syncTimes(2);
  return { rig, mirror };
}
