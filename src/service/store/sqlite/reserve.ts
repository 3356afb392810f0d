import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReservedSpace } from "../store.ts";

const MB = 1024 * 1024;
/**
 * LIMIT: twice the size at which the journal is written back; on a small disk there is less, and
 * the journal is bounded with it.
 */
export const MOST_RESERVED = 8 * MB;
/**
 * LIMIT: with less, the journal of one step of the search index could not be written back, and a
 * deletion after it would fail.
 */
const LEAST_RESERVED = 2 * MB;
/** The share of the free space that is reserved, if that is more than the least. */
const SHARE = 1 / 4;

/** Free space below which nothing is reserved, in bytes: the least reserve may be half of it. */
export const ROOM_FOR_LEAST = 2 * LEAST_RESERVED;

type ReserveOptions = {
  /** Called with the reserved bytes after each try to reserve some. */
  readonly onHold?: (bytes: number) => void;
  /** Free bytes of the disk; by default, of the folder's disk. */
  readonly free?: () => number;
};

/**
 * Space on the disk that is released when the disk is full, so that documents can still be deleted:
 * a deletion is written to the journal before it frees anything.
 */
export class Reserve implements ReservedSpace {
  readonly #file: string | null;
  readonly #free: () => number;
  readonly #onHold: (bytes: number) => void;

  /**
   * Reserves some at once.
   * @param folder the data folder; null: there is no disk
   */
  constructor(folder: string | null, { onHold = () => undefined, free = () => freeIn(folder!) }: ReserveOptions = {}) {
    this.#file = folder === null ? null : join(folder, "reserve");
    this.#free = free;
    this.#onHold = onHold;
    this.hold();
  }

  /** Reserves more if there is less than the disk can spare. */
  hold(): void {
    if (this.#file === null) return;
    grow(this.#file, this.#free);
    const held = sizeOf(this.#file);
    if (held > 0) this.#onHold(held);
  }

  /** @returns whether there was any to release */
  release(): boolean {
    if (this.#file === null || sizeOf(this.#file) === 0) return false;
    rmSync(this.#file, { force: true });
    return true;
  }

  /** Bytes that are reserved now; null: there is no disk. */
  bytes(): number | null {
    return this.#file === null ? null : sizeOf(this.#file);
  }
}

function grow(file: string, free: () => number): void {
  const held = sizeOf(file);
  const wanted = sizeFor(free() + held);
  if (wanted === 0 || held >= wanted) return;
  try {
    // Zeros are written, because a hole would occupy no space.
    writeFileSync(file, Buffer.alloc(wanted), { mode: 0o600 });
  } catch {
    // There is no space for it now; the part that was written is removed.
    rmSync(file, { force: true });
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * @param room free bytes, together with those that are reserved already
 * @returns whole megabytes, in bytes; 0: too little to be of use
 */
function sizeFor(room: number): number {
  if (room < ROOM_FOR_LEAST) return 0;
  return Math.min(MOST_RESERVED, Math.max(LEAST_RESERVED, Math.floor((room * SHARE) / MB) * MB));
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
