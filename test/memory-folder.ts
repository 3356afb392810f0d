/**
 * Puts the temporary folders of tests into memory if the system has such a file system, so that no
 * test waits for a disk. A test about a disk uses `usualTmpdir`.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

const MEMORY = "/dev/shm";
/** Free bytes that the file system must have: more than all tests need at the same time. */
const ENOUGH = 2 ** 30;
const USUAL = "MDMIRROR_TEST_DISK";

/** Returns the system's folder for temporary files, which is on a disk on most systems. */
export function usualTmpdir(): string {
  return process.env[USUAL] ?? tmpdir();
}

let made: string | null = null;

/** Runs before the test processes start, because they inherit the environment. */
export function setup(): void {
  made = memoryFolder();
  if (made === null) return;
  process.env[USUAL] = tmpdir();
  process.env["TMPDIR"] = made;
}

export function teardown(): void {
  if (made !== null) rmSync(made, { recursive: true, force: true });
}

/**
 * Returns a new folder in memory. Returns null if the system has no such file system, if it is too
 * small, or if it does not allow programs to be executed.
 */
function memoryFolder(): string | null {
  if (process.env["TMPDIR"] !== undefined || !existsSync(MEMORY)) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH) return null;
  // LIMIT: a short name, because the path of a Unix socket has at most 107 bytes.
  const folder = mkdtempSync(join(MEMORY, "mdm-"));
  // Others may enter this folder, because some tests run a child process as another user.
  chmodSync(folder, 0o711);
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  if (spawnSync(program).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return null;
}
