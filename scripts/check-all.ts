/**
 * `npm test`: layers, a test for each promise, types, lint and format at the same time, then every
 * test. Stops at nothing, so that one run shows all that is wrong; exit 1 on any.
 */
import { fileURLToPath } from "node:url";
import { type Check, runCheck } from "./run-check.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => `${root}node_modules/.bin/${name}`;

/** At the same time; what one says is shown when it has ended. */
const CHECKS: readonly Check[] = [
  {
    name: "layers",
    shows: "imports point down only, packages stay in their homes",
    command: process.execPath,
    args: ["scripts/check-layers.ts"],
    look: "src/README.md has the layers; again: npm run check",
  },
  {
    name: "promises",
    shows: "each promise has a test of its id",
    command: process.execPath,
    args: ["scripts/check-promises.ts", "--short"],
    look: "test/README.md has the table; again: npm run check:promises",
  },
  {
    name: "figures",
    shows: "the figures in the documents are those of scripts/results",
    command: process.execPath,
    args: ["scripts/show-results.ts"],
    look: "make them anew: node scripts/show-results.ts --write",
  },
  {
    name: "measures",
    shows: "size, branches, circles, twins and unused exports stay within their bounds",
    command: process.execPath,
    args: ["scripts/measures.ts", "--check"],
    look: "the places are named above; all figures: node scripts/measures.ts",
  },
  { name: "types", shows: "tsc", command: bin("tsc"), args: ["-p", "tsconfig.json"], look: "again: npm run check" },
  {
    name: "islands",
    shows: "tsc, with what browsers know",
    command: bin("tsc"),
    args: ["-p", "src/page/islands/tsconfig.json"],
    look: "again: npm run check",
  },
  {
    name: "lint",
    shows: "biome, rules and format",
    command: bin("biome"),
    args: ["check", "--error-on-warnings", "src", "test", "scripts"],
    look: "most of it is mended by: npm run check -- --write",
  },
];
const TESTS: Check = {
  name: "tests",
  shows: "vitest, some 5,500 tests in about 4 minutes",
  command: process.execPath,
  args: ["node_modules/vitest/vitest.mjs", "run", "--config", "config/vitest.config.ts", ...process.argv.slice(2)],
  look: "test/README.md says what each kind of test means; one file alone: npm test -- test/PATH.test.ts",
};

console.log(`npm test, on Node ${process.versions.node}:`);
for (const { name, shows } of [...CHECKS, TESTS]) console.log(`  ${name.padEnd(10)}${shows}`);

const failed: Check[] = [];

async function run(check: Check, stdio: "pipe" | "inherit"): Promise<void> {
  const { ok, said, seconds } = await runCheck(check, root, stdio);
  process.stdout.write(said);
  if (!ok) failed.push(check);
  console.log(`${check.name}: ${ok ? "ok" : "FAILED"} (${seconds.toFixed(1)} s)`);
}

await Promise.all(CHECKS.map((check) => run(check, "pipe")));
await run(TESTS, "inherit");
if (failed.length > 0) {
  console.log(`failed: ${failed.map(({ name }) => name).join(", ")}`);
  for (const { name, look } of failed) console.log(`  ${name}: ${look}`);
  process.exit(1);
}
