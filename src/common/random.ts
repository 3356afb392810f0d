export interface Random {
  /** Returns a random number from 0 to 1, without 1. Used to spread waits; not safe for secrets. */
  fraction(): number;
  /** Returns a string of `digits` random hex digits in lower case. */
  hex(digits: number): string;
}

export function systemRandom(): Random {
  return {
    fraction: () => Math.random(),
    // Node loads the code of the global `crypto` on first use. An import of `node:crypto` would
    // load this code at the start of each command.
    hex: (digits) =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2))))
        .toString("hex")
        .slice(0, digits),
  };
}
