import { FULL_NEXT, isDiskFull } from "./trouble.ts";

/**
 * Recognises errors of the disk under the state file, which are no faults of mdmirror. It uses
 * error codes alone, so that a command that ends well need not import anything for it.
 */

type DiskTrouble = { readonly what: string; readonly next: string };

const FULL: DiskTrouble = {
  what: "the disk is full",
  next: FULL_NEXT,
};
const BROKEN: DiskTrouble = {
  what: "the disk failed under the state file",
  next: "nothing is lost that was written: see the system's log, then run: mdmirror doctor",
};
const DAMAGED: DiskTrouble = {
  what: "the state file is damaged",
  next: "run: mdmirror sync (it is set aside and made anew from both sides; nothing is deleted)",
};

const MOVED: DiskTrouble = {
  what: "the state file was moved or removed while it was in use",
  next: "put the folder and its .mdmirror/ back where they were, then run the command again",
};

/** @returns what happened and what to do; null for a fault of mdmirror itself */
export function diskTrouble(error: Error): (DiskTrouble & { readonly code: string }) | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (isDiskFull(code)) return { ...FULL, code };
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return { ...DAMAGED, code };
  if (code === "SQLITE_READONLY_DBMOVED") return { ...MOVED, code };
  if (/^(SQLITE_IOERR|EIO|EROFS|SQLITE_READONLY)/.test(code)) return { ...BROKEN, code };
  return null;
}
