import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Where CI wants the counts. */
const report = process.env["MDMIRROR_TEST_REPORT"];

/** A guard against what never ends, in ms: no test is judged by the clock, however busy the machine. */
const HANGING_MS = 900_000;

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // All cores: by itself the runner leaves one to a watcher that nobody watches here.
    maxWorkers: availableParallelism(),
    testTimeout: HANGING_MS,
    hookTimeout: HANGING_MS,
    expect: { poll: { timeout: HANGING_MS } },
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
