/**
 * Resolves every link of a mirrored folder and of its workspace, with another parser and without
 * any code of links/: node scripts/check-links.ts DIR URL KEY-FILE
 * Prints what does not lead to the same on both sides; exit 1 on any.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { compareLinks } from "./compare-links.ts";

const [dir, url, keyFile] = process.argv.slice(2);
if (dir === undefined || url === undefined || keyFile === undefined)
  throw new Error("usage: node scripts/check-links.ts DIR URL KEY-FILE");
const key = readFileSync(keyFile, "utf8").trim();
const { counts, broken } = await compareLinks({ root: resolve(dir), url, key });
console.log(JSON.stringify({ ...counts, broken: broken.length }));
for (const line of broken) console.log(line);
process.exitCode = broken.length === 0 ? 0 : 1;
