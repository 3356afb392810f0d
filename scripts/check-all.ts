/**
 * `npm test`: checks layers, promises, types, lint and format while all tests run. Continues after
 * a failure, so that one run shows everything that is wrong. Exit 1 on any failure.
 */
import { fileURLToPath } from "node:url";
import { type Check, type CheckEnd, runCheck } from "./run-check.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => `${root}node_modules/.bin/${name}`;

/**
 * Without garbage collection, tsc takes half of the processor time and no more memory at its peak.
 */
const TSC = { command: bin("tsc"), env: { GOGC: "off" } } as const;

/** Folder in which tsc and knip keep their results of unchanged files. */
const CACHE = `${root}node_modules/.cache`;
const TSC_CACHE = ["--incremental", "--tsBuildInfoFile", `${CACHE}/types.tsbuildinfo`];
const KNIP_CACHE = ["--cache", "--cache-location", `${CACHE}/knip`];

const KNIP_ISSUES = "files,exports,types,dependencies,unlisted,unresolved";

/**
 * Checks that run while the tests do, because tests often wait. Their output is shown after that of
 * the tests.
 */
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
    look: "make them again: node scripts/show-results.ts --write",
  },
  {
    name: "comments",
    shows: "comments have at most 100 columns and name no absent document",
    command: process.execPath,
    args: ["scripts/check-comments.ts"],
    look: "the places are named above",
  },
  {
    name: "unused",
    shows: "knip: no file, export or package is unused",
    command: bin("knip"),
    args: ["--config", "config/knip.json", "--no-progress", "--include", KNIP_ISSUES, ...KNIP_CACHE],
    look: "delete what it names, or name its user in config/knip.json",
  },
  {
    ...TSC,
    name: "types",
    shows: "tsc",
    args: ["-p", "tsconfig.json", "--singleThreaded", ...TSC_CACHE],
    look: "again: npm run check",
  },
  {
    name: "islands",
    ...TSC,
    shows: "tsc, with what browsers know",
    args: ["-p", "src/page/islands/tsconfig.json"],
    look: "again: npm run check",
  },
  {
    name: "lint",
    shows: "biome, rules and format",
    command: bin("biome"),
    args: ["check", "--error-on-warnings", "src", "test", "scripts"],
    look: "most of it is fixed by: npm run check -- --write",
  },
];
const TESTS: Check = {
  name: "tests",
  shows: "vitest, some 7,500 tests; on two cores 4 minutes, on slow ones 9",
  command: process.execPath,
  args: ["node_modules/vitest/vitest.mjs", "run", "--config", "config/vitest.config.ts", ...process.argv.slice(2)],
  look: "test/README.md says what each kind of test means; one file alone: npm test -- test/PATH.test.ts",
};

console.log(`npm test, on Node ${process.versions.node}:`);
for (const { name, shows } of [...CHECKS, TESTS]) console.log(`  ${name.padEnd(10)}${shows}`);

const failed: Check[] = [];

function printEnd(check: Check, { ok, said, seconds }: CheckEnd): void {
  process.stdout.write(said);
  if (!ok) failed.push(check);
  console.log(`${check.name}: ${ok ? "ok" : "FAILED"} (${seconds.toFixed(1)} s)`);
}

const checked = Promise.all(CHECKS.map((check) => runCheck(check, root, "pipe")));
printEnd(TESTS, await runCheck(TESTS, root, "inherit"));
for (const [at, end] of (await checked).entries()) printEnd(CHECKS[at]!, end);
if (failed.length > 0) {
  console.log(`failed: ${failed.map(({ name }) => name).join(", ")}`);
  for (const { name, look } of failed) console.log(`  ${name}: ${look}`);
  process.exit(1);
}
