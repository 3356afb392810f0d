import { existsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Returns the folder, or the lowest existing folder above it.
 * @param dir absolute
 */
export function nearestFolder(dir: string): string {
  let there = dir;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  return there;
}
