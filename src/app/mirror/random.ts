import type { Random } from "../../ports/world.ts";

/** Drawn from the system at once: one call for a name costs as much as for hundreds. */
const POOL_BYTES = 4_096;

/** The system's chance. */
export function systemRandom(): Random {
  let pool = Buffer.alloc(0);
  let used = 0;
  const take = (count: number): Buffer => {
    if (used + count > pool.length) {
      // Few commands draw anything, and the module takes 5 ms to load.
      const { randomBytes } = process.getBuiltinModule("node:crypto");
      pool = randomBytes(Math.max(POOL_BYTES, count));
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
  return {
    fraction: () => take(6).readUIntBE(0, 6) / 2 ** 48,
    hex: (n) =>
      take(Math.ceil(n / 2))
        .toString("hex")
        .slice(0, n),
  };
}
