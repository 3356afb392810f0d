import { randomBytes } from "node:crypto";

/** Number of random bytes that are read together: a system call for each id would be slow. */
const READ_BYTES = 4_096;

export function makeRandomSource(): (bytes: number) => Uint8Array {
  let buffer = randomBytes(READ_BYTES);
  let offset = 0;
  return (bytes) => {
    if (offset + bytes > buffer.length) {
      buffer = randomBytes(Math.max(bytes, READ_BYTES));
      offset = 0;
    }
    const nextBytes = buffer.subarray(offset, offset + bytes);
    offset += bytes;
    return nextBytes;
  };
}
