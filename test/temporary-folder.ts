import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder that is removed when the test is finished. */
export function temporaryFolder(parent = tmpdir()): string {
  // LIMIT: a short name, because the path of a Unix socket has at most 107 bytes.
  const folder = mkdtempSync(join(parent, "mdm-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
