import type { Random } from "./random.ts";

export function systemRandom(): Random {
  return {
    fraction: () => Math.random(),
    // ORDER: the global `crypto`, whose code Node loads on first use. An import would load the code
    // of `node:crypto` at the start of each command.
    hex: (digits) =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
        .toString("hex")
        .slice(0, digits),
  };
}
