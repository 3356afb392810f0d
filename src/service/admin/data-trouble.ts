import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoClause, isDiskFull, type Result, trouble } from "../../common/trouble.ts";
import { effectiveUser } from "../../common/effective-user.ts";

/** Codes for missing permissions: the user chose the wrong folder, or runs as the wrong user. */
const NOT_LET = /^(?:EACCES|EPERM|SQLITE_(?:CANTOPEN|READONLY|PERM|AUTH))/;
/** Codes for a path that cannot be a folder. */
const NO_FOLDER = /^(?:EEXIST|ENOTDIR|ELOOP|ENAMETOOLONG)$/;
const OTHER_FOLDER = "give a folder that this user may write with --data";

/**
 * Returns the reason why the data folder of a service cannot be opened.
 * @throws the error if it is a bug
 */
export function dataTrouble(data: string, error: unknown): Result<never> {
  const code = (error as NodeJS.ErrnoException).code ?? null;
  if (isInUse(error)) {
    const next = "stop that one, or give another folder with --data";
    return trouble("locked", `${data} is in use by another mdmirror serve`, next, { code });
  }
  if (code === null) throw error;
  if (code === "other-data") {
    const next = "give its database with --database, or another folder with --data";
    return trouble("usage", `${data} cannot be used: ${(error as Error).message}`, next, { code });
  }
  if (code === "newer-data") {
    const what = `${data}: ${(error as Error).message}; nothing was changed`;
    return trouble("usage", what, "use the newer mdmirror, or give another folder with --data", { code });
  }
  const foreign = NOT_LET.test(code) ? foreignIn(data) : null;
  if (foreign !== null) {
    const { path, uid } = foreign;
    const what = `${path} belongs to user ${uid}, and this process is user ${effectiveUser()}, who may not use it`;
    const next = "run mdmirror as the user that the service runs as, or give another folder with --data";
    return trouble("usage", what, next, { code });
  }
  const isMisplaced = /^E(?:ACCES|PERM)$/.test(code) || NO_FOLDER.test(code);
  const next = isDiskFull(code)
    ? "free space on that disk: an update needs as much again as service.db has, until the next start"
    : OTHER_FOLDER;
  return trouble(isMisplaced ? "usage" : "fault", `${data} cannot be used: ${errnoClause(error)}`, next, { code });
}

/**
 * Finds an entry of the folder, or the folder itself, that another user owns.
 * @returns null if every visible entry belongs to this user
 */
function foreignIn(data: string): { readonly path: string; readonly uid: number } | null {
  const me = effectiveUser();
  for (const path of [data, ...namesIn(data).map((name) => join(data, name))]) {
    const uid = ownerOf(path);
    if (uid !== null && me !== null && uid !== me) return { path, uid };
  }
  return null;
}

function ownerOf(path: string): number | null {
  try {
    return lstatSync(path).uid;
  } catch {
    // The entry is missing, or this user may not read its folder: the message then names no owner.
    return null;
  }
}

function namesIn(data: string): string[] {
  try {
    return readdirSync(data);
  } catch {
    // The folder is missing, or this user may not read it: only the owner of the folder itself is
    // known.
    return [];
  }
}

/** Returns true if the error concerns the data folder or a file in it. */
export function isOfFolder(data: string, error: unknown): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  return code?.startsWith("SQLITE_") === true || path === data || path?.startsWith(join(data, "/")) === true;
}

/** Returns true if another process has the folder open. */
export function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith("SQLITE_BUSY") === true;
}
