import { join } from "node:path";
import { isDiskFull, type Result, toSystemTrouble, trouble } from "../../common/trouble.ts";

const FOLDER_ERROR_CODES = /^(?:E(?:ACCES|PERM|EXIST|NOTDIR|LOOP|NAMETOOLONG)|SQLITE_(?:READONLY|PERM|AUTH).*)$/;

/**
 * Returns the reason why the data folder of a service cannot be opened.
 * @throws the error if it is a bug
 */
export function explainDataError(dir: string, error: unknown): Result<never> {
  const code = (error as NodeJS.ErrnoException).code ?? null;
  if (isInUse(error)) {
    const nextStep = "stop that one, or give another folder with --data";
    return trouble("locked", `${dir} is in use by another mdmirror serve`, nextStep, { code });
  }
  if (code === null) throw error;
  if (code === "other-data") {
    const nextStep = "give its database with --database, or another folder with --data";
    return trouble("usage", `${dir} cannot be used: ${(error as Error).message}`, nextStep, { code });
  }
  if (code === "newer-data" || code === "older-data") {
    const failure = `${dir}: ${(error as Error).message}; nothing was changed`;
    const program = code === "newer-data" ? "the newer mdmirror" : "the mdmirror that wrote it";
    return trouble("usage", failure, `use ${program}, or give another folder with --data`, { code });
  }
  const nextStep = isDiskFull(code)
    ? "free space on that disk: an update needs as much again as service.db has, until the next start"
    : "run mdmirror as the user that the service runs as, or give a folder that this user may write with --data";
  return toSystemTrouble(error, `${dir} cannot be used`, nextStep, FOLDER_ERROR_CODES.test(code) ? "usage" : "fault");
}

export function concernsFolder(dir: string, error: unknown): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  return code?.startsWith("SQLITE_") === true || path === dir || path?.startsWith(join(dir, "/")) === true;
}

export function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith("SQLITE_BUSY") === true;
}
