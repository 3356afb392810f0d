import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReservedSpace } from "../store.ts";

const MB = 1024 * 1024;
/**
 * LIMIT: twice the size at which the journal is written back; a small disk has a smaller reserve,
 * and a smaller journal.
 */
export const MOST_RESERVED = 8 * MB;
/**
 * LIMIT: with less, the journal of one step of the search index could not be written back, and a
 * later deletion would fail.
 */
const LEAST_RESERVED = 2 * MB;
/** Share of the free space that is reserved, if that exceeds the least reserve. */
const SHARE = 1 / 4;

/** Free space in bytes below which nothing is reserved: the least reserve may be half of it. */
export const ROOM_FOR_LEAST = 2 * LEAST_RESERVED;

type ReserveOptions = {
  /** Called with the reserved bytes after each try to reserve space. */
  readonly onHold?: (bytes: number) => void;
  /** Returns the free bytes of the disk; by default, of the folder's disk. */
  readonly free?: () => number;
};

/**
 * Disk space that is released when the disk is full, so that documents can still be deleted. A
 * deletion needs space in the journal before it frees any.
 */
export class Reserve implements ReservedSpace {
  readonly #file: string | null;
  readonly #free: () => number;
  readonly #onHold: (bytes: number) => void;

  /**
   * Reserves space immediately.
   * @param folder the data folder; null if there is no disk
   */
  constructor(folder: string | null, { onHold = () => undefined, free = () => freeIn(folder!) }: ReserveOptions = {}) {
    this.#file = folder === null ? null : join(folder, "reserve");
    this.#free = free;
    this.#onHold = onHold;
    this.hold();
  }

  hold(): void {
    if (this.#file === null) return;
    grow(this.#file, this.#free);
    const held = sizeOf(this.#file);
    if (held > 0) this.#onHold(held);
  }

  release(): boolean {
    if (this.#file === null || sizeOf(this.#file) === 0) return false;
    rmSync(this.#file, { force: true });
    return true;
  }

  bytes(): number | null {
    return this.#file === null ? null : sizeOf(this.#file);
  }
}

function grow(file: string, free: () => number): void {
  const held = sizeOf(file);
  const wanted = sizeFor(free() + held);
  if (wanted === 0 || held >= wanted) return;
  try {
    // The file is filled with zeros, because a hole would occupy no space.
    writeFileSync(file, Buffer.alloc(wanted), { mode: 0o600 });
  } catch {
    // The disk has no space for the reserve now, so the partial file is removed.
    rmSync(file, { force: true });
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Returns the size of the reserve.
 * @param room free bytes, including the bytes reserved already
 * @returns whole megabytes, in bytes; 0 if the reserve would be too small to help
 */
function sizeFor(room: number): number {
  if (room < ROOM_FOR_LEAST) return 0;
  return Math.min(MOST_RESERVED, Math.max(LEAST_RESERVED, Math.floor((room * SHARE) / MB) * MB));
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
