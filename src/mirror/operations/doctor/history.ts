import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errnoClause } from "../../../common/trouble.ts";
import { type Check, good, warn } from "./check.ts";

/**
 * Files that SQLite keeps beside a database. Between two checkpoints they may have most of its
 * content.
 */
const COMPANIONS = ["", "-wal", "-shm"] as const;

/**
 * Measures the history: lengths of files, not blocks.
 * @param folder `.mdmirror`
 */
export function checkHistory(folder: string): Check {
  const ofDatabase = (name: string) =>
    COMPANIONS.reduce((sum, end) => sum + sizeBelow(join(folder, `${name}${end}`)), 0);
  try {
    const bytes = {
      texts: ofDatabase("texts.db"),
      state: ofDatabase("state.db"),
      trash: sizeBelow(join(folder, "trash")),
      log: sizeBelow(join(folder, "log")),
    };
    const parts = Object.entries(bytes).map(([name, size]) => `${name} ${humanSize(size)}`);
    const all = Object.values(bytes).reduce((sum, size) => sum + size, 0);
    return { ...good("history", `${humanSize(all)}: ${parts.join(", ")}`), bytes };
  } catch (error) {
    const why = `its size is not known: ${errnoClause(error)}`;
    return warn("history", why, "allow this user to read .mdmirror/, then run doctor again");
  }
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

/**
 * Returns the size of a path in bytes; 0 for a missing file, which may have been removed since it
 * was listed.
 */
function sizeBelow(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return stat?.isFile() === true ? stat.size : 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeBelow(join(path, name)), 0);
}
