/**
 * Files of the package, by their paths from this module. The paths are valid in the bundle too,
 * because the bundle is as deep in the package as this module is.
 */

import { fileURLToPath } from "node:url";

/** Path of the program that Node runs. */
export const PROGRAM_FILE = fileURLToPath(new URL("../cli/entry.mjs", import.meta.url));

/** @param path below the package */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
