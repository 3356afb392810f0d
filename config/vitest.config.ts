import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** File for the number of tests, which CI sets. */
const report = process.env["MDMIRROR_TEST_REPORT"];

/** LIMIT: ms for a test that never ends. It is long, because no test may fail on a busy machine. */
const HANGING_MS = 400_000;

/**
 * Files that take more than some four seconds. They start first, so that none of them runs alone at
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
  "test/ui/safety-stop.test.ts",
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

/** Node's compile cache, which all processes share. */
const compiled = `${root}node_modules/.cache/compiled`;
// Private, because what it contains is executed; also if a test's process writes it under umask
// 000.
mkdirSync(compiled, { recursive: true });
chmodSync(compiled, 0o700);
// The test processes inherit it and pass it on to the processes that they start.
process.env["NODE_COMPILE_CACHE"] = compiled;

export default defineConfig({
  root,
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // One process for each core runs all files, so that it loads each module only once. A test must
    // undo its changes of the process (environment, timers).
    isolate: false,
    // Node itself loads sources and tests, as in production: no bundles, and no lookup of imported
    // names at each use. No test mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests allocate much short-lived memory. With a larger young generation less of it is
    // promoted, which saves a twentieth of the simulator's time.
    execArgv: ["--max-semi-space-size=64"],
    // More processes than cores would take more time, because each loads all modules.
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
