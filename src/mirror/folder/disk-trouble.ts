/**
 * Recognises errors of the disk and of permissions, which are not bugs in mdmirror. Uses only the
 * fields of an error, so that an import of this module loads little code.
 */

import { readErrorCode, FREE_SPACE_STEP, isDiskFull, type Trouble, TroubleError } from "../../common/trouble.ts";

/** Descriptions of errors by error code. The first entry that matches is used. */
const DISK_ERRORS: readonly { readonly codes: RegExp; readonly what: string; readonly next: string }[] = [
  {
    codes: /^E[MN]FILE$/,
    what: "this process may not open more files",
    next: "nothing is lost: raise that limit (ulimit -n 1024), then run the command again",
  },
  {
    codes: /^SQLITE_(CORRUPT|NOTADB)/,
    what: "the state file is damaged",
    next: "run: mdmirror sync (it replaces the file with a new one, built from both sides; nothing is deleted)",
  },
  {
    codes: /^SQLITE_(BUSY|LOCKED)/,
    what: "another program uses the state file",
    next: "nothing is lost: close the program (a database browser, a backup), then run the command again",
  },
  {
    codes: /^SQLITE_READONLY_DBMOVED$/,
    what: "the state file was moved or removed while it was in use",
    next: "move the folder and its .mdmirror/ back, then run the command again",
  },
  {
    codes: /^(SQLITE_IOERR|EIO|EROFS|SQLITE_READONLY)/,
    what: "the disk of the state file failed",
    next: "no written content is lost: check the system's log, then run: mdmirror doctor",
  },
];

/**
 * Describes an error for the user. Returns null for all errors other than a `TroubleError`, an
 * unsafe path or a disk error.
 */
export function describeError(error: unknown): Trouble | null {
  if (error instanceof TroubleError) return error.trouble;
  const code = readErrorCode(error);
  if (!(error instanceof Error) || code === null) return null;
  if (code === "unsafe-path" && "next" in error)
    return { kind: "usage", what: error.message, code, next: String(error.next) };
  if (isDiskFull(code)) return { kind: "fault", what: "the disk is full", code, next: FREE_SPACE_STEP };
  const path = findForbiddenPath(error, code);
  if (path !== null) {
    const nextStep = "nothing is lost: check the owner and the permissions, or run the command as the owner";
    return { kind: "fault", what: `this user may not read or write ${path}`, code, next: nextStep };
  }
  const failure = DISK_ERRORS.find(({ codes }) => codes.test(code));
  return failure === undefined ? null : { kind: "fault", what: failure.what, code, next: failure.next };
}

/** Returns the path that this user may not read or write; null if the error has another cause. */
function findForbiddenPath(error: Error, code: string): string | null {
  if (code === "SQLITE_READONLY_DIRECTORY") return ".mdmirror/";
  if (!/^(EACCES|EPERM)$/.test(code) || !("path" in error) || typeof error.path !== "string") return null;
  // mdmirror opens a file in an open folder as `/proc/self/fd/12/note.md`. The message has only
  // `note.md`.
  return error.path.replace(/^\/proc\/self\/fd\/\d+\//, "");
}
