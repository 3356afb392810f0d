import type { Random } from "./random.ts";

export function systemRandom(): Random {
  return {
    fraction: () => Math.random(),
    // Node loads the code of the global `crypto` when it is first used. An import of `node:crypto`
    // would load this code at the start of each command.
    hex: (digits) =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
        .toString("hex")
        .slice(0, digits),
  };
}
