import { randomBytes } from "node:crypto";
import type { Random } from "./random.ts";

/** Returns random numbers of the system. */
export function systemRandom(): Random {
  return {
    fraction: () => Math.random(),
    hex: (digits) =>
      randomBytes(Math.ceil(digits / 2))
        .toString("hex")
        .slice(0, digits),
  };
}
