/**
 * `node scripts/build.ts`: builds dist/, the JavaScript and the types of the package, unless it is
 * up to date with the sources.
 */
import { fileURLToPath } from "node:url";
import { buildDist } from "./build/dist.ts";
import { asksForHelp, printUsage } from "./usage.ts";

if (asksForHelp()) printUsage(import.meta.url);
else {
  const built = buildDist(fileURLToPath(new URL("..", import.meta.url)));
  // Standard output must stay empty: `npm pack` prints the name of the tarball there.
  console.error(built.kind === "failed" ? `dist/: ${built.why}` : `dist/: ${built.files} files, ${built.kind}`);
  process.exitCode = built.kind === "failed" ? 1 : 0;
}
