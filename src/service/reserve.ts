import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Room on the disk that is given up when the disk is full, so that documents can still be deleted: a deletion is written to the journal
 * before it frees anything.
 */
export type Reserve = {
  /** Takes the room again where it was given up. */
  hold(): void;
  /** @returns whether there was any to give up */
  release(): boolean;
};

/** LIMIT: twice what the journal grows to before it is written back. */
const BYTES = 8 * 1024 * 1024;

/** @param folder the data folder; null has no disk */
export function reserveIn(folder: string | null): Reserve {
  if (folder === null) return { hold: () => undefined, release: () => false };
  const file = join(folder, "reserve");
  const held = () => statSync(file, { throwIfNoEntry: false })?.size === BYTES;
  const reserve: Reserve = {
    hold: () => {
      if (held()) return;
      try {
        // Zeros that are written, not a hole: a hole takes no room.
        writeFileSync(file, Buffer.alloc(BYTES), { mode: 0o600 });
      } catch {
        // There is no room for it now; what was written of it is given back.
        rmSync(file, { force: true });
      }
    },
    release: () => {
      if (!held()) return false;
      rmSync(file, { force: true });
      return true;
    },
  };
  reserve.hold();
  return reserve;
}

/** Whether SQLite found no room for a write. What it was to do is rolled back. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_FULL";
}
