import type { Stats } from "node:fs";

/** Returns the effective user id of this process; null on a system without user ids. */
export function effectiveUser(): number | null {
  return process.geteuid?.() ?? null;
}

/** Error for a file in `.mdmirror/` that mdmirror does not trust. `next`: the next step. */
export class UnsafePathError extends Error {
  readonly code = "unsafe-path";
  readonly next: string;

  constructor(path: string, reason: string, next: string) {
    super(`${path} ${reason}`);
    this.name = "UnsafePathError";
    this.next = next;
  }
}

export type ExpectedFile = "file" | "own-file" | "folder";

/**
 * Checks that the file or folder at a path is of the expected kind and belongs to a trusted user.
 * mdmirror changes an `own-file` in place, so such a file must not have a second name (a hard
 * link).
 * @throws UnsafePathError
 */
export function checkPath(path: string, stat: Stats, expected: ExpectedFile): void {
  const isExpectedKind = expected === "folder" ? stat.isDirectory() : stat.isFile();
  if (stat.isSymbolicLink()) {
    const reason = "is a symbolic link: mdmirror reads and writes nothing through links";
    throw new UnsafePathError(path, reason, `see where it leads: ls -l ${quoteForShell(path)}; then remove the link`);
  }
  if (!isExpectedKind) {
    const reason = `is ${describeKind(stat)} where ${expected === "folder" ? "a folder" : "a file"} should be`;
    throw new UnsafePathError(path, reason, `move it away: mv ${quoteForShell(path)} ${quoteForShell(`${path}.old`)}`);
  }
  if (!isOwner(stat.uid)) {
    const reason = `belongs to user ${stat.uid}, and this process is user ${process.geteuid?.()}`;
    throw new UnsafePathError(
      path,
      reason,
      `run mdmirror as that user; or, if the folder is yours: chown ${quoteForShell(path)}`,
    );
  }
  if (expected === "own-file" && stat.nlink > 1) {
    const reason = `has a second name elsewhere (a hard link), which mdmirror would write to as well`;
    const copyPath = quoteForShell(`${path}.copy`);
    throw new UnsafePathError(
      path,
      reason,
      `make it a file of its own: cp -p ${quoteForShell(path)} ${copyPath} && mv ${copyPath} ${quoteForShell(path)}`,
    );
  }
}

function describeKind(stat: Stats): string {
  if (stat.isDirectory()) return "a folder";
  return stat.isFile() ? "a file" : "neither file nor folder";
}

function quoteForShell(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns true if a user id is that of this process, or of the user who called sudo. On systems
 * without user ids, always returns true.
 */
export function isOwner(uid: number): boolean {
  const ownUid = process.geteuid?.();
  if (ownUid === undefined || uid === ownUid) return true;
  const callerUid = process.env["SUDO_UID"];
  return ownUid === 0 && callerUid !== undefined && /^\d+$/.test(callerUid) && Number(callerUid) === uid;
}
