import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { TestProject } from "vitest/node";

/** Variable with the path of the bundled service, which all processes of a test run share. */
export const SHARED_BUNDLE = "MDMIRROR_TEST_REALM";

let folder: string | null = null;

/** Sets the path. The first process that needs the bundle makes it. */
export function setup(project: TestProject): void {
  name();
  // The sources may have changed since the last run.
  project.onTestsRerun(async () => {
    teardown();
    name();
  });
}

function name(): void {
  folder = mkdtempSync(join(tmpdir(), "realm-"));
  process.env[SHARED_BUNDLE] = join(folder, "service.cjs");
}

export function teardown(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
}
