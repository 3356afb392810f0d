import { randomBytes } from "node:crypto";

/** Number of random bytes that are read from the operating system together. */
const READ_BYTES = 4_096;

/**
 * Returns a source of random bytes. It reads many bytes together, because each request needs some
 * for its id, and a system call for each request would be slow.
 */
export function randomSource(): (bytes: number) => Uint8Array {
  let read = randomBytes(READ_BYTES);
  let offset = 0;
  return (bytes) => {
    if (offset + bytes > read.length) {
      read = randomBytes(Math.max(bytes, READ_BYTES));
      offset = 0;
    }
    const taken = read.subarray(offset, offset + bytes);
    offset += bytes;
    return taken;
  };
}
