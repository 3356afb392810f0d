import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Room on the disk that is given up when the disk is full, so that documents can still be deleted:
 * a deletion is written to the journal before it frees anything.
 */
export type Reserve = {
  /** Takes room where there is less than the disk can spare. */
  hold(): void;
  /** @returns whether there was any to give up */
  release(): boolean;
  /** Bytes that are held now; null: there is no disk. */
  bytes(): number | null;
};

const MB = 1024 * 1024;
/**
 * LIMIT: twice what the journal grows to before it is written back; less on a small disk, and the
 * journal is bounded with it.
 */
export const MOST_RESERVED = 8 * MB;
/**
 * LIMIT: with less, the journal of one step of the search index cannot be written back, and a
 * deletion after it fails.
 */
const LEAST_RESERVED = 2 * MB;
/** So much of what is free is held, where that is more than the least. */
const SHARE = 1 / 4;

/** Free space without which nothing is held, in bytes: the least reserve may be half of it. */
export const ROOM_FOR_LEAST = 2 * LEAST_RESERVED;

/**
 * @param folder the data folder; null has no disk
 * @param free bytes of the disk that nobody uses
 */
export function reserveIn(folder: string | null, free: () => number = () => freeIn(folder!)): Reserve {
  if (folder === null) return { hold: () => undefined, release: () => false, bytes: () => null };
  const file = join(folder, "reserve");
  const bytes = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const reserve: Reserve = {
    hold: () => {
      const held = bytes();
      const wanted = sizeFor(free() + held);
      if (wanted === 0 || held >= wanted) return;
      try {
        // Zeros that are written, not a hole: a hole takes no room.
        writeFileSync(file, Buffer.alloc(wanted), { mode: 0o600 });
      } catch {
        // There is no room for it now; what was written of it is given back.
        rmSync(file, { force: true });
      }
    },
    release: () => {
      if (bytes() === 0) return false;
      rmSync(file, { force: true });
      return true;
    },
    bytes,
  };
  reserve.hold();
  return reserve;
}

/**
 * @param room bytes that are free, what is held already among them @returns whole megabytes, in
 * bytes; 0: too little to be of use
 */
function sizeFor(room: number): number {
  if (room < ROOM_FOR_LEAST) return 0;
  return Math.min(MOST_RESERVED, Math.max(LEAST_RESERVED, Math.floor((room * SHARE) / MB) * MB));
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether SQLite found no room for a write. What it was to do is rolled back. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_FULL";
}
