import { randomBytes } from "node:crypto";
import type { Random } from "./random.ts";

/** Bytes drawn from the system in one call, which costs as much for one name as for hundreds. */
const POOL_BYTES = 4_096;

/** Returns random numbers of the system. */
export function systemRandom(): Random {
  return new SystemRandom();
}

class SystemRandom implements Random {
  #pool = Buffer.alloc(0);
  #used = 0;

  fraction(): number {
    return this.#take(6).readUIntBE(0, 6) / 2 ** 48;
  }

  hex(digits: number): string {
    return this.#take(Math.ceil(digits / 2))
      .toString("hex")
      .slice(0, digits);
  }

  #take(bytes: number): Buffer {
    if (this.#used + bytes > this.#pool.length) {
      this.#pool = randomBytes(Math.max(POOL_BYTES, bytes));
      this.#used = 0;
    }
    this.#used += bytes;
    return this.#pool.subarray(this.#used - bytes, this.#used);
  }
}
