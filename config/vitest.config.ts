import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Where CI wants the counts. */
const report = process.env["MDMIRROR_TEST_REPORT"];

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: report === undefined ? ["default"] : ["default", "json"],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
