/**
 * Finds files of the npm package by their paths relative to this module. The paths are also valid
 * in the bundle, because the bundle is as deep in the package as this module.
 */

import { fileURLToPath } from "node:url";

export const PROGRAM_FILE = fileURLToPath(new URL("../cli/entry.mjs", import.meta.url));

/** Returns the URL of a file; `path` is relative to the root of the package. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}
