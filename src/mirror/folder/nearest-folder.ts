import { existsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A folder that may still be to be made, or else the lowest one above it that is there.
 * @param dir absolute
 */
export function nearestFolder(dir: string): string {
  let there = dir;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return there;
}
