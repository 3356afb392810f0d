import type { Random } from "./random.ts";

export function systemRandom(): Random {
  return {
    fraction: () => Math.random(),
    // Not an import of `node:crypto`, which would load its code at the start of each command: Node
    // loads the code of the global `crypto` on first use.
    hex: (digits) =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
        .toString("hex")
        .slice(0, digits),
  };
}
