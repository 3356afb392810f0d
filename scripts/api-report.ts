/**
 * node scripts/api-report.ts [--write]: looks whether config/api-report.md shows what the package
 * exports, and src/lib/README.md its examples; `--write` brings them up to date. Exit 1 where they
 * are not.
 */
import { fileURLToPath } from "node:url";
import { staleFiles } from "./build/api-report.ts";
import { buildDist } from "./build/dist.ts";
import { asksForHelp, tellUsage } from "./usage.ts";

if (asksForHelp()) tellUsage(import.meta.url);
else {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const write = process.argv.includes("--write");
  const built = buildDist(root);
  if (built.kind === "failed") console.error(`dist/: ${built.why}`);
  const stale = built.kind === "failed" ? [] : staleFiles(root, write);
  for (const file of stale) console.log(`${file} ${write ? "was brought up to date" : "is not up to date"}`);
  process.exitCode = built.kind === "failed" || (stale.length > 0 && !write) ? 1 : 0;
}
