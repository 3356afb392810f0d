import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Where CI wants the counts. */
const report = process.env["MDMIRROR_TEST_REPORT"];

/**
 * A guard against what never ends, in ms: no test is judged by the clock, however busy the machine.
 */
const HANGING_MS = 400_000;

/**
 * Files of more than some four seconds come first, so that none of them is left running alone at
 * the end. The others are sorted by size, which says little about time.
 */
const LONG = [
  "test/ui/walk.test.ts",
  "test/documents-shell.test.ts",
  "test/ui/flows.test.ts",
  "test/ui/service.test.ts",
  "test/simulator/runs/simulation.test.ts",
  "test/engine/effect-kills.test.ts",
  "test/contract/postgres.test.ts",
  "test/ui/conflict-flows.test.ts",
  "test/package/package.test.ts",
  "test/contract/other-service/other-service.test.ts",
  "test/histories/kills.test.ts",
  "test/soak/soak.test.ts",
  "test/contract/contract.test.ts",
  "test/engine/who-wins.test.ts",
  "test/engine/torn.test.ts",
  "test/security/bounded.test.ts",
  "test/ui/halt.test.ts",
  "test/simulator/mutants/mutants.test.ts",
  "test/security/swapped-folders.test.ts",
  "test/engine/daemon/hot.test.ts",
  "test/promises/bounded.test.ts",
  "test/setup.test.ts",
  "test/security/key.test.ts",
  "test/ui/reviews.test.ts",
  "test/ui/search.test.ts",
].map((file) => `${root}${file}`);
for (const file of LONG)
  if (!existsSync(file)) throw new Error(`${file} is in the list of long tests, and is not there`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => (LONG.indexOf(moduleId) + LONG.length + 1) % (LONG.length + 1);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

/** What Node made of the sources: it is made once, not once a process. */
const compiled = `${root}node_modules/.cache/compiled`;
// What lies there is run: nobody else enters, also when a test's process writes it under umask 000.
mkdirSync(compiled, { recursive: true });
chmodSync(compiled, 0o700);
// The processes of the tests inherit it, and give it to those that they start.
process.env["NODE_COMPILE_CACHE"] = compiled;

export default defineConfig({
  root,
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // One process a core for all files: a module is read once in it, not once a file. What a test
    // changes in its process (environment, timers) it takes back.
    isolate: false,
    // Node itself loads sources and tests, as it does where they are run: nothing is bundled, and a
    // name of another module is not looked up in an object at each use. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests make much that is soon let go. With room for more of it, less outlives a collection by
    // chance: a twentieth of the simulator's time.
    execArgv: ["--max-semi-space-size=64"],
    // Each process loads all modules once more: a process more than cores takes more time of them.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongFirst },
    globalSetup: ["test/memory-folder.ts", "test/postgres/global-setup.ts", "test/sync-service/shared-bundle.ts"],
    setupFiles: ["test/close-databases.ts"],
    testTimeout: HANGING_MS,
    hookTimeout: HANGING_MS,
    expect: { poll: { timeout: HANGING_MS } },
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
