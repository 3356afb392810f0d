import { readFileSync } from "node:fs";

/** Version of this program, as its package says. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Returns the header by which an operator knows this program, its runtime and its system. */
export function userAgent(): string {
  return `mdmirror/${version()} (+node/${process.versions.node}; ${process.platform})`;
}
