/** Bytes. */
const SECTOR = 512;
const EMPTY = new Uint8Array();

/** Bytes of a file, and of its last fsync; null: never. */
type Written = { readonly bytes: Uint8Array; readonly synced: Uint8Array | null };

/**
 * Returns the bytes that survive a power cut of a file that was not fsynced since it was written.
 */
export function survivingBytes({ bytes, synced }: Written, fraction: () => number): Uint8Array {
  switch (Math.floor(fraction() * 5)) {
    case 0:
      return bytes;
    case 1:
      return synced ?? EMPTY;
    case 2:
      return EMPTY;
    case 3:
      return new Uint8Array(bytes.length);
    default: {
      // Disks write whole sectors, and systems whole pages of them, so a torn write ends at a
      // sector. The size may be durable before the bytes are.
      const cut = bytes.slice(0, Math.floor((fraction() * bytes.length) / SECTOR) * SECTOR);
      if (fraction() < 0.5) return cut;
      const padded = new Uint8Array(bytes.length);
      padded.set(cut);
      return padded;
    }
  }
}
