import type { Random } from "./random.ts";

export function systemRandom(): Random {
  return {
    fraction: () => Math.random(),
    // The global `crypto` is used because Node loads its code on first use. An import of
    // `node:crypto` would load the code at the start of each command.
    hex: (digits) =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
        .toString("hex")
        .slice(0, digits),
  };
}
