import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoClause } from "../../../common/trouble.ts";
import { type Check, good, warn } from "./check.ts";

/** Size of the history, in bytes (lengths of files, not blocks). */
type HistorySizes = {
  readonly texts: number;
  readonly state: number;
  readonly trash: number;
  readonly log: number;
};

/** SQLite's files beside a database. Between two checkpoints they may have most of its content. */
const COMPANIONS = ["", "-wal", "-shm"] as const;

/** @param folder `.mdmirror` */
function measureHistory(folder: string): HistorySizes {
  return {
    texts: sizeOfDatabase(join(folder, "texts.db")),
    state: sizeOfDatabase(join(folder, "state.db")),
    trash: sizeBelow(join(folder, "trash")),
    log: sizeBelow(join(folder, "log")),
  };
}

function sizeOfDatabase(file: string): number {
  return COMPANIONS.reduce((sum, end) => sum + sizeOf(`${file}${end}`), 0);
}

export function checkHistory(folder: string): Check {
  let bytes: HistorySizes;
  try {
    bytes = measureHistory(folder);
  } catch (error) {
    const why = `its size is not known: ${errnoClause(error)}`;
    return warn("history", why, "allow this user to read .mdmirror/, then run doctor again");
  }
  const { texts, state, trash, log } = bytes;
  const parts = [
    `texts ${humanSize(texts)}`,
    `state ${humanSize(state)}`,
    `trash ${humanSize(trash)}`,
    `log ${humanSize(log)}`,
  ];
  const all = texts + state + trash + log;
  return { ...good("history", `${humanSize(all)}: ${parts.join(", ")}`), bytes };
}

/**
 * Returns a size in powers of 1000, as disks and file managers count: `0 B`, `999 B`, `1.5 KB`, `12
 * MB`.
 */
export function humanSize(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  // A value of 999.5 or more would be rounded to 1000, so the next larger unit is used.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Returns 0 for a missing file: it may have been removed since it was listed. */
function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true ? stat.size : 0;
}

function sizeBelow(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return sizeOf(path);
  return readdirSync(path).reduce((sum, name) => sum + sizeBelow(join(path, name)), 0);
}
