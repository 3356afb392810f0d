/**
 * The soak's properties: every test file that states one, under seeds that `npm test` does not use.
 * A property that fails prints its own seed and path; the row names the seed of the round, which
 * `MDMIRROR_TEST_SEED=… npm test -- FILE` takes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Fault, Row, Soak } from "./row.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export const PROPERTIES: readonly Fault[] = [{ name: "properties", rounds: 10, quick: 1, run: runProperties }];

type TestReport = {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
};

async function runProperties({ rounds, seed }: Soak): Promise<Row> {
  const broken: string[] = [];
  let passed = 0;
  for (let round = 0; round < rounds; round++) {
    const report = await runUnderSeed(seed * 1_000 + round);
    passed += report.numPassedTests;
    broken.push(...failuresOf(report).map((what) => `seed ${seed * 1_000 + round}: ${what}`));
  }
  if (passed === 0) broken.push("no test ran");
  return { fault: "properties", rounds, counted: { "tests passed": passed }, broken };
}

/** @throws where the runner ended without a report. */
async function runUnderSeed(seed: number): Promise<TestReport> {
  const folder = mkdtempSync(join(tmpdir(), "mdmirror-properties-"));
  const file = join(folder, "report.json");
  const args = ["related", "--run", "--config", "config/vitest.config.ts", "test/property.ts"];
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", ...args, "--reporter=json", `--outputFile=${file}`],
    { cwd: root, env: { ...process.env, MDMIRROR_TEST_SEED: String(seed) }, stdio: ["ignore", "ignore", "inherit"] },
  );
  await once(child, "exit");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as TestReport;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failuresOf(report: TestReport): string[] {
  const failed = report.testResults.filter(({ status }) => status !== "passed");
  return failed.map(({ name, message, assertionResults }) => {
    const titles = assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
    return `${name.slice(root.length)}: ${[...titles, message].filter((text) => text !== "").join("; ")}`;
  });
}
