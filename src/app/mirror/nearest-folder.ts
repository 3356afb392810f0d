import { dirname } from "node:path";

const { existsSync } = process.getBuiltinModule("node:fs");

/**
 * A folder that may still be to be made, or else the lowest one above it that is there.
 * @param dir absolute
 */
export function nearestFolder(dir: string): string {
  let there = dir;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return there;
}
