/**
 * `node scripts/debian.ts [--node bundled|system] [--out FOLDER] [--fast]`: builds the Debian
 * package of this checkout.
 *
 * - `--node bundled` (the default) includes the checkout's Node, because few releases of Debian
 *   have one that is new enough.
 * - `--node system` depends on the package nodejs instead.
 * - `--fast` compresses less.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildDebian } from "./build/debian.ts";
import { asksForHelp, printUsage } from "./usage.ts";

if (asksForHelp()) printUsage(import.meta.url);
else {
  const { values } = parseArgs({
    options: { node: { type: "string" }, out: { type: "string" }, fast: { type: "boolean" } },
  });
  if (values.node !== undefined && values.node !== "bundled" && values.node !== "system")
    throw new Error("--node takes bundled or system");
  const built = buildDebian({
    root: fileURLToPath(new URL("..", import.meta.url)),
    out: values.out ?? ".",
    node: values.node ?? "bundled",
    fast: values.fast === true,
    tarball: null,
  });
  console.log(`${built.file}: ${(built.size / 1e6).toFixed(1)} MB`);
}
