/**
 * `node scripts/api-report.ts [--write]`: checks whether config/api-report.md describes the exports
 * of the package, and whether src/lib/README.md contains the tested examples. Exit 1 if they do
 * not.
 *
 * - `--write` updates them.
 */
import { fileURLToPath } from "node:url";
import { staleFiles } from "./build/api-report.ts";
import { buildDist } from "./build/dist.ts";
import { asksForHelp, printUsage } from "./usage.ts";

if (asksForHelp()) printUsage(import.meta.url);
else {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const write = process.argv.includes("--write");
  const built = buildDist(root);
  if (built.kind === "failed") console.error(`dist/: ${built.why}`);
  const stale = built.kind === "failed" ? [] : staleFiles(root, write);
  for (const file of stale) console.log(`${file} ${write ? "was brought up to date" : "is not up to date"}`);
  process.exitCode = built.kind === "failed" || (stale.length > 0 && !write) ? 1 : 0;
}
