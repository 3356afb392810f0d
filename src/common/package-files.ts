/**
 * Finds files of the npm package by paths relative to this module. The bundled program is in a
 * folder of the same depth, so the same paths are right for the bundled program.
 */
import { fileURLToPath } from "node:url";
import { readFileSync } from "node:fs";

export const PROGRAM_FILE = fileURLToPath(new URL("../cli/entry.mjs", import.meta.url));

/** Returns the URL of a file; `path` is relative to the root of the package. */
export function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

export function version(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

export function userAgent(): string {
  return `mdmirror/${version()} (+node/${process.versions.node}; ${process.platform})`;
}
