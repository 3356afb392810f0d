import { randomBytes } from "node:crypto";
import type { Random } from "../core/ports/world.ts";

/** The system's chance. */
export function systemRandom(): Random {
  return {
    fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
    hex: (n) =>
      randomBytes(Math.ceil(n / 2))
        .toString("hex")
        .slice(0, n),
  };
}
