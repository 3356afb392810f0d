/**
 * Temporary folders of tests lie in memory where the system has such a file system: no test waits
 * for a disk then. A test that is about a disk takes `usualTmpdir`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const MEMORY = "/dev/shm";
/** More than all tests need at the same time, in bytes. */
const ENOUGH = 2 ** 30;
const USUAL = "MDMIRROR_TEST_DISK";

/** The system's folder for temporary files, which lies on a disk on most systems. */
export function usualTmpdir(): string {
  return process.env[USUAL] ?? tmpdir();
}

let made: string | null = null;

/** Runs before the processes of the tests start, which inherit the environment. */
export function setup(): void {
  made = memoryFolder();
  if (made === null) return;
  process.env[USUAL] = tmpdir();
  process.env["TMPDIR"] = made;
}

export function teardown(): void {
  if (made !== null) rmSync(made, { recursive: true, force: true });
}

/** null where there is none, where it is small, and where no program can be started from it. */
function memoryFolder(): string | null {
  if (process.env["TMPDIR"] !== undefined || !existsSync(MEMORY)) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH) return null;
  // Short: the name of a socket has 107 bytes.
  const folder = mkdtempSync(join(MEMORY, "mdm-"));
  // Tests that run a child as another user have folders of theirs in it.
  chmodSync(folder, 0o711);
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  if (spawnSync(program).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}
