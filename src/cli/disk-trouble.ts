/**
 * Errors of the disk that the state file is on: not mdmirror's own. Told by code alone: nothing is
 * imported for a command that ends well.
 */

type DiskTrouble = { readonly what: string; readonly next: string };

const FULL: DiskTrouble = {
  what: "the disk is full",
  next: "nothing is lost: free some space, then run the command again",
};
const BROKEN: DiskTrouble = {
  what: "the disk failed under the state file",
  next: "nothing is lost that was written: see the system's log, then run: mdmirror doctor",
};
const DAMAGED: DiskTrouble = {
  what: "the state file is damaged",
  next: "run: mdmirror sync (it is set aside and made anew from both sides; nothing is deleted)",
};

/** @returns what happened and what to do; null for an error that is a fault of mdmirror's own */
export function diskTrouble(error: Error): (DiskTrouble & { readonly code: string }) | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)$/.test(code)) return { ...FULL, code };
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return { ...DAMAGED, code };
  if (/^(SQLITE_IOERR|EIO|EROFS|SQLITE_READONLY)/.test(code)) return { ...BROKEN, code };
  return null;
}
