import { readFileSync } from "node:fs";
import { packageFile } from "./package-files.ts";

/** Returns the version of this program, from its package. */
export function version(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Returns the header by which an operator recognises this program, its runtime and its system. */
export function userAgent(): string {
  return `mdmirror/${version()} (+node/${process.versions.node}; ${process.platform})`;
}
