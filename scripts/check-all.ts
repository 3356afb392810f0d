/**
 * `npm test`: layers, a test for each promise, types, lint and format at the same time, then every
 * test. Stops at nothing, so that one run shows all that is wrong; exit 1 on any.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => `${root}node_modules/.bin/${name}`;
type Check = {
  readonly name: string;
  /** What it shows, in a few words. */
  readonly shows: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where to look when it fails. */
  readonly look: string;
};

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
    shows: "size, branches, circles and unused exports of src stay within their bounds",
    command: process.execPath,
    args: ["scripts/measures.ts", "--check"],
    look: "the places are named above; all figures: node scripts/measures.ts",
  },
  { name: "types", shows: "tsc", command: bin("tsc"), args: ["-p", "tsconfig.json"], look: "again: npm run check" },
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

/** @param stdio pipe: what it prints is held back until it has ended */
async function run(check: Check, stdio: "pipe" | "inherit"): Promise<void> {
  const started = performance.now();
  const child = spawn(check.command, check.args, { cwd: root, stdio: ["ignore", stdio, stdio] });
  const said = [child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)));
  const [status] = (await once(child, "close")) as [number | null];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  for (const part of await Promise.all(said)) process.stdout.write(part);
  if (status !== 0) failed.push(check);
  console.log(`${check.name}: ${status === 0 ? "ok" : "FAILED"} (${seconds} s)`);
}

await Promise.all(CHECKS.map((check) => run(check, "pipe")));
await run(TESTS, "inherit");
if (failed.length > 0) {
  console.log(`failed: ${failed.map(({ name }) => name).join(", ")}`);
  for (const { name, look } of failed) console.log(`  ${name}: ${look}`);
  process.exit(1);
}
