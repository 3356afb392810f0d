import { readFileSync } from "node:fs";
import { packageFile } from "./package-files.ts";

/** Version of this program, as its package says. */
export function version(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Returns the header by which an operator knows this program, its runtime and its system. */
export function userAgent(): string {
  return `mdmirror/${version()} (+node/${process.versions.node}; ${process.platform})`;
}
