import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReservedSpace } from "../store.ts";

/** LIMIT: bytes of the reserve: twice the size at which the journal is written back. */
export const RESERVED_BYTES = 8 * 1024 * 1024;
/** Free space in bytes below which nothing is reserved. */
export const LEAST_FREE = 2 * RESERVED_BYTES;

/**
 * Disk space that is released when the disk is full, so that documents can still be deleted. A
 * deletion needs space in the journal before it frees any.
 */
export class Reserve implements ReservedSpace {
  readonly #file: string;
  readonly #free: () => number;

  /**
   * Reserves space immediately.
   * @param folder the data folder
   * @param free returns the free bytes of the disk
   */
  constructor(folder: string, free: () => number = () => freeIn(folder)) {
    this.#file = join(folder, "reserve");
    this.#free = free;
    this.reserve();
  }

  reserve(): void {
    if (sizeOf(this.#file) >= RESERVED_BYTES || this.#free() < LEAST_FREE) return;
    try {
      // The file is filled with zeros, because a hole would occupy no space.
      writeFileSync(this.#file, Buffer.alloc(RESERVED_BYTES), { mode: 0o600 });
    } catch {
      // The disk has no space for the reserve now, so the partial file is removed.
      rmSync(this.#file, { force: true });
    }
  }

  release(): boolean {
    if (sizeOf(this.#file) === 0) return false;
    rmSync(this.#file, { force: true });
    return true;
  }

  bytes(): number {
    return sizeOf(this.#file);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
