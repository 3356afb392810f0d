import { createHash } from "node:crypto";
import type { Hook } from "./hook.ts";
import type { HookMemory } from "./memory.ts";

/** A hook whose receiver wanted nothing more is off until the user changes it. */

/** As it is configured now. */
export function sealOf({ does, on }: Hook): string {
  return createHash("sha256")
    .update(JSON.stringify([does, [...on]]))
    .digest("hex")
    .slice(0, 16);
}

export function isOff(hook: Hook, { off }: Pick<HookMemory, "off">): boolean {
  return off !== null && off === sealOf(hook);
}
