import { errorCodeOf, FREE_SPACE_NEXT, isDiskFull, type Trouble } from "../../common/trouble.ts";

/**
 * Recognises errors of the disk and its permissions, which are no bugs in mdmirror. Uses only the
 * error's fields, so that a command that succeeds need not import other modules.
 */

type DiskTrouble = { readonly what: string; readonly next: string };

const FULL: DiskTrouble = {
  what: "the disk is full",
  next: FREE_SPACE_NEXT,
};
const BROKEN: DiskTrouble = {
  what: "the disk of the state file failed",
  next: "no written content is lost: check the system's log, then run: mdmirror doctor",
};
const DAMAGED: DiskTrouble = {
  what: "the state file is damaged",
  next: "run: mdmirror sync (it replaces the file with a new one, built from both sides; nothing is deleted)",
};

const MOVED: DiskTrouble = {
  what: "the state file was moved or removed while it was in use",
  next: "move the folder and its .mdmirror/ back, then run the command again",
};

const BUSY: DiskTrouble = {
  what: "another program uses the state file",
  next: "nothing is lost: close the program (a database browser, a backup), then run the command again",
};

const FEW_FILES: DiskTrouble = {
  what: "this process may not open more files",
  next: "nothing is lost: raise that limit (ulimit -n 1024), then run the command again",
};

const ASK_OWNER = "nothing is lost: check the owner and the permissions, or run the command as the owner";

/** A path below a folder that mdmirror has open is shown from that folder on. */
function forbidden(path: string): DiskTrouble {
  return {
    what: `this user may not read or write ${path.replace(/^\/proc\/self\/fd\/\d+\//, "")}`,
    next: ASK_OWNER,
  };
}

/** Returns the trouble of an error of an unsafe path or of the disk; null for any other error. */
export function troubleOfError(error: unknown): Trouble | null {
  if (!(error instanceof Error)) return null;
  if (errorCodeOf(error) === "unsafe-path" && "next" in error)
    return { kind: "usage", what: error.message, code: "unsafe-path", next: String(error.next) };
  const disk = diskTrouble(error);
  return disk === null ? null : { kind: "fault", ...disk };
}

/** Returns the error and the next step; null for a bug in mdmirror. */
export function diskTrouble(error: Error): (DiskTrouble & { readonly code: string }) | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (isDiskFull(code)) return { ...FULL, code };
  if (/^E[MN]FILE$/.test(code)) return { ...FEW_FILES, code };
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return { ...DAMAGED, code };
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return { ...BUSY, code };
  if (code === "SQLITE_READONLY_DBMOVED") return { ...MOVED, code };
  if (code === "SQLITE_READONLY_DIRECTORY") return { ...forbidden(".mdmirror/"), code };
  if (/^(EACCES|EPERM)$/.test(code) && "path" in error && typeof error.path === "string")
    return { ...forbidden(error.path), code };
  if (/^(SQLITE_IOERR|EIO|EROFS|SQLITE_READONLY)/.test(code)) return { ...BROKEN, code };
  return null;
}
