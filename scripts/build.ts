/**
 * `node scripts/build.ts`: makes dist/, the JavaScript and the types that the package holds, where it is
 * not already what the sources give.
 */
import { fileURLToPath } from "node:url";
import { buildDist } from "./build/dist.ts";
import { asksForHelp, tellUsage } from "./usage.ts";

if (asksForHelp()) tellUsage(import.meta.url);
else {
  const built = buildDist(fileURLToPath(new URL("..", import.meta.url)));
  // npm pack prints the name of the tarball on standard output, and nothing may stand beside it.
  console.error(built.kind === "failed" ? `dist/: ${built.why}` : `dist/: ${built.files} files, ${built.kind}`);
  process.exitCode = built.kind === "failed" ? 1 : 0;
}
