import type { Stats } from "node:fs";

/**
 * Error for a file or folder in `.mdmirror/` that cannot be trusted. `why` and `next` (the next
 * step) are clauses for the user.
 */
export class UnsafePathError extends Error {
  readonly code = "unsafe-path";
  readonly next: string;

  constructor(path: string, why: string, next: string) {
    super(`${path} ${why}`);
    this.name = "UnsafePathError";
    this.next = next;
  }
}

export type ExpectedFile = "file" | "own-file" | "folder";

/**
 * Checks that the file or folder at a path is of the expected kind and belongs to a trusted user.
 * `own-file` is a file that is written in place, so it must not have a second name (a hard link).
 * @throws UnsafePathError
 */
export function checkPath(path: string, stat: Stats, expected: ExpectedFile): void {
  const isRight = expected === "folder" ? stat.isDirectory() : stat.isFile();
  if (stat.isSymbolicLink()) {
    const why = "is a symbolic link: mdmirror reads and writes nothing through links";
    throw new UnsafePathError(path, why, `see where it leads: ls -l ${quote(path)}; then remove the link`);
  }
  if (!isRight) {
    const why = `is ${kindOf(stat)} where ${expected === "folder" ? "a folder" : "a file"} should be`;
    throw new UnsafePathError(path, why, `move it away: mv ${quote(path)} ${quote(`${path}.old`)}`);
  }
  if (!isOwner(stat.uid)) {
    const why = `belongs to user ${stat.uid}, and this process is user ${process.geteuid?.()}`;
    throw new UnsafePathError(path, why, `run mdmirror as that user; or, if the folder is yours: chown ${quote(path)}`);
  }
  if (expected === "own-file" && stat.nlink > 1) {
    const why = `has a second name elsewhere (a hard link), which mdmirror would write to as well`;
    const copy = quote(`${path}.copy`);
    throw new UnsafePathError(
      path,
      why,
      `make it a file of its own: cp -p ${quote(path)} ${copy} && mv ${copy} ${quote(path)}`,
    );
  }
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return "a folder";
  return stat.isFile() ? "a file" : "neither file nor folder";
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns true if this process may trust files of this user: the user of the process or, under
 * sudo, the user who called sudo.
 */
export function isOwner(uid: number): boolean {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return true;
  const caller = process.env["SUDO_UID"];
  return own === 0 && caller !== undefined && /^\d+$/.test(caller) && Number(caller) === uid;
}
