import { existsSync } from "node:fs";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { Clock } from "../../common/clock.ts";
import type { LockHolder } from "../state/lock.ts";
import { UnsafePathError } from "../../common/unsafe-path.ts";
import { formatAge } from "../../common/age.ts";
import { readErrorCode, errnoClause, FREE_SPACE_STEP, isDiskFull, type Result, trouble } from "../../common/trouble.ts";

export function makeBusyTrouble(root: string, holder: LockHolder | null, clock: Clock): Result<never> {
  const holderText =
    holder === null
      ? "another process"
      : `mdmirror ${holder.what} (process ${holder.pid}, for ${formatAge(clock.now() - holder.since)})`;
  return trouble(
    "locked",
    `${root} is in use by ${holderText}`,
    "wait until it ends; a crashed process frees it by itself",
  );
}

export function checkFolderExists(root: string): ReturnType<typeof trouble> | null {
  if (existsSync(join(root, MIRROR_FOLDER))) return null;
  return trouble("usage", `${root} does not exist`, "mount its disk, or give the present path of the folder", {
    code: "root-missing",
  });
}

/** @throws the error itself if it is a bug */
export function describeSystemError(root: string, error: unknown): ReturnType<typeof trouble> {
  // In a folder that was moved or unmounted, other errors are misleading, so this is checked first.
  const missingTrouble = checkFolderExists(root);
  if (missingTrouble !== null) return missingTrouble;
  if (error instanceof UnsafePathError) return trouble("usage", error.message, error.next);
  const code = readErrorCode(error);
  if (code === null || !/^(E[A-Z0-9]+|SQLITE_[A-Z_]+)$/.test(code)) throw error;
  return trouble(
    "fault",
    `${root} cannot be used: ${errnoClause(error)}`,
    isDiskFull(code) ? FREE_SPACE_STEP : "check that the disk has space and this user may write in that folder",
    { code },
  );
}
