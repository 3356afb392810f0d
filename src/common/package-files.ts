import { fileURLToPath } from "node:url";

/**
 * Files of the package, by their place from this module. The bundle lies as deep below the package
 * as `src/mirror/` does.
 */

/** Path of the program that Node runs. */
export const PROGRAM_FILE = fileURLToPath(new URL("../cli/entry.mjs", import.meta.url));

/** @param path below the package */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
