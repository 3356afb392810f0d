import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { Random } from "../../ports/world.ts";

/** Bytes drawn from the system at once: a call for one name costs as much as for hundreds. */
const POOL_BYTES = 4_096;

const SOURCE = "/dev/urandom";

/**
 * Random numbers of the system.
 * @param source a file of them; where it gives too few or is not there, node:crypto asks the system
 */
export function systemRandom(source = SOURCE): Random {
  return new SystemRandom(source);
}

class SystemRandom implements Random {
  readonly #source: string;
  #pool = Buffer.alloc(0);
  #used = 0;

  constructor(source: string) {
    this.#source = source;
  }

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
      this.#pool = drawn(this.#source, Math.max(POOL_BYTES, bytes));
      this.#used = 0;
    }
    this.#used += bytes;
    return this.#pool.subarray(this.#used - bytes, this.#used);
  }
}

/** Each sync needs a name that nobody has, and node:crypto takes 6 ms to load. */
function drawn(source: string, bytes: number): Buffer<ArrayBuffer> {
  return readFrom(source, bytes) ?? randomBytes(bytes);
}

/** @returns null where it is not there, or has less */
function readFrom(source: string, bytes: number): Buffer<ArrayBuffer> | null {
  let fd: number | null = null;
  try {
    fd = openSync(source, "r");
    const read = Buffer.alloc(bytes);
    return readSync(fd, read) === bytes ? read : null;
  } catch (error) {
    // A system without the file, or one that lets nobody read it.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
