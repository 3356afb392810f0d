#!/usr/bin/env node
// Plain JavaScript that any Node can read: it must be able to refuse an unfit one. better-sqlite3 13 ends in a segmentation fault, without a
// word, on Node 20; so nothing is imported before the check.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(
    `mdmirror: needs Node 22.22 or newer, and this is ${process.versions.node}; from a checkout run scripts/mdmirror, which brings its own.\n`,
  );
  process.exit(2);
}

const { existsSync } = await import("node:fs");
// From a checkout Node runs the sources as they are; a published package holds JavaScript alone.
const main = existsSync(new URL("./main.ts", import.meta.url)) ? "./main.ts" : "./main.js";
await (await import(new URL(main, import.meta.url).href)).main(process.argv.slice(2));
