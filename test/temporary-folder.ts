import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
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

/**
 * Returns every file and folder below `root` with its bytes, mode and times. Two equal snapshots
 * prove that nothing was written.
 */
export function snapshot(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()]) {
    const whole = join(root, path);
    const stat = statSync(whole, { bigint: true });
    const bytes = stat.isFile() ? createHash("sha256").update(readFileSync(whole)).digest("hex") : "";
    found.set(path, `${stat.mode} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino} ${bytes}`);
  }
  return found;
}
