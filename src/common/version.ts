import { readFileSync } from "node:fs";
import { packageFile } from "./package-files.ts";

export function version(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

export function userAgent(): string {
  return `mdmirror/${version()} (+node/${process.versions.node}; ${process.platform})`;
}
