import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Makes a folder that is removed when the test is finished. */
export function temporaryFolder(parent = tmpdir()): string {
  // Short: the name of a socket has 107 bytes.
  const folder = mkdtempSync(join(parent, "mdm-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
