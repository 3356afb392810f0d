export interface Random {
  /** Returns a random number from 0 to 1, without 1. Used to spread waits; not safe for secrets. */
  fraction(): number;
  /** Returns a string of `digits` random hex digits in lower case. */
  hex(digits: number): string;
}

/** Number of random bytes that one call fetches, because a call for each name would take 10 µs. */
const POOL_BYTES = 1_024;

/** Returns a function that returns a number of random bytes, which are safe for secrets. */
export function makeRandomSource(): (count: number) => Uint8Array {
  let pool = new Uint8Array();
  return (count) => {
    // Node loads the code of the global `crypto` on first use. An import of `node:crypto` would
    // load this code at the start of each command.
    if (pool.length < count) pool = crypto.getRandomValues(new Uint8Array(Math.max(count, POOL_BYTES)));
    const randomBytes = pool.subarray(0, count);
    pool = pool.subarray(count);
    return randomBytes;
  };
}

export function systemRandom(): Random {
  const readBytes = makeRandomSource();
  return {
    fraction: () => Math.random(),
    hex: (digits) =>
      Buffer.from(readBytes(Math.ceil(digits / 2)))
        .toString("hex")
        .slice(0, digits),
  };
}
