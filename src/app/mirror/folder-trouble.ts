import type { Clock } from "../../ports/world.ts";
import type { LockHolder } from "../../state/lock.ts";
import { UnsafePath } from "../../state/unsafe-path.ts";
import { ageText } from "../../model/age.ts";
import { codeOf, errnoClause, FULL_NEXT, isDiskFull, type Result, trouble } from "./trouble.ts";

export function busyTrouble(root: string, holder: LockHolder | null, clock: Clock): Result<never> {
  const who =
    holder === null
      ? "another process"
      : `mdmirror ${holder.what} (process ${holder.pid}, for ${ageText(clock.now() - holder.since)})`;
  return trouble("locked", `${root} is in use by ${who}`, "wait until it ends; a crashed process frees it by itself");
}

/** @returns null when it is no error of the system: a bug */
export function unwritable(root: string, error: unknown): Result<never> | null {
  if (error instanceof UnsafePath) return trouble("usage", error.message, error.next);
  const code = codeOf(error);
  if (code === null || !/^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test(code)) return null;
  return trouble(
    "fault",
    `${root} cannot be used: ${errnoClause(error)}`,
    isDiskFull(code) ? FULL_NEXT : "see that the disk has space and this user may write there",
    { code },
  );
}
