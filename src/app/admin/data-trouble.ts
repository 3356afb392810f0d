import { errnoClause, type Result, trouble } from "../mirror/trouble.ts";

/** Why the data folder of a service cannot be opened. @throws what is a bug */
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
  const next =
    code === "SQLITE_FULL"
      ? "make room there: an update needs as much again as service.db has, until the next start"
      : "give a folder that this user may write with --data";
  return trouble("fault", `${data} cannot be used: ${errnoClause(error)}`, next, { code });
}

/** Whether another process has it open. */
export function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith("SQLITE_BUSY") === true;
}
