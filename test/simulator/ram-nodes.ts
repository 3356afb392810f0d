import { deserialize, serialize } from "node:v8";
import { type DiskFolding, pathKey } from "../../src/contract/path.ts";
import type { FsStat } from "../../src/mirror/ports/disk.ts";

/**
 * The state of the RAM disk without hooks or faults: inodes, names, and the order in which they are
 * flushed.
 */

export type Inode = {
  readonly ino: number;
  readonly dev: number;
  readonly kind: FsStat["kind"];
  birthMs: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  nlink: number;
  /** Bytes of a file. They are never changed in place, so that a reader may keep them. */
  bytes: Uint8Array;
  /** Bytes at the last fsync; null if there was none. */
  synced: Uint8Array | null;
  dirty: boolean;
  target: string;
  /**
   * Entries of a folder by name (folded if the disk folds), each with the spelling at its creation.
   */
  readonly entries: Map<string, Entry>;
  parent: Inode | null;
};

export type Entry = { readonly name: string; readonly inode: Inode };

/** A change of a name, with what a power loss needs to undo it. */
type Change = {
  readonly folder: Inode;
  readonly key: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
};

/** Contents of a disk, without its options. */
type Kept = {
  readonly root: Inode;
  readonly now: number;
  readonly used: number;
  readonly nextIno: number;
  readonly freed: number[];
  readonly files: Set<Inode>;
  readonly log: Change[][];
};

type NodesOptions = {
  readonly folding: DiskFolding;
  /** Milliseconds to which stamps are rounded down. */
  readonly granularityMs: number;
  readonly reusesInodes: boolean;
  readonly hasBirthTimes: boolean;
  readonly maxNameBytes: number;
  /** True if the disk behaves like one of macOS where that differs from Linux. */
  readonly isDarwin: boolean;
};

const EMPTY = new Uint8Array();
// LIMIT: unflushed changes of names; a kernel writes its journal every few seconds.
const MAX_AT_RISK = 2_000;

export class RamNodes {
  root: Inode;
  readonly options: NodesOptions;
  now = 1_000_000;
  used = 0;
  private nextIno = 2;
  private freed: number[] = [];
  private files = new Set<Inode>();
  /** Changes of names since the last flush, which a power loss may undo, the latest first. */
  private log: Change[][] = [];

  constructor(options: NodesOptions) {
    this.options = options;
    this.root = this.make("folder", 1);
  }

  /** Returns a copy of everything (a `Kept`) but open handles. */
  copy(): Buffer {
    const { root, now, used, nextIno, freed, files, log } = this;
    const kept: Kept = { root, now, used, nextIno, freed, files, log };
    return serialize(kept);
  }

  /** Restores the state of `copy`. */
  goBackTo(copy: Buffer): void {
    Object.assign(this, deserialize(copy) as Kept);
  }

  make(kind: FsStat["kind"], dev: number): Inode {
    const ino = (this.options.reusesInodes ? this.freed.pop() : undefined) ?? this.nextIno++;
    const now = this.stampTime();
    const inode: Inode = {
      ino,
      dev,
      kind,
      birthMs: this.options.hasBirthTimes ? this.now : 0,
      mode: kind === "folder" ? 0o755 : 0o644,
      mtimeMs: now,
      ctimeMs: now,
      nlink: kind === "folder" ? 2 : 0,
      bytes: EMPTY,
      synced: null,
      dirty: kind === "file",
      target: "",
      entries: new Map(),
      parent: null,
    };
    if (kind === "file") this.files.add(inode);
    return inode;
  }

  key(name: string): string {
    const { folding, isDarwin } = this.options;
    if (isDarwin && folding.foldsCase) return foldSimply(folding.foldsUnicode ? name.normalize("NFC") : name);
    if (!folding.foldsCase) return folding.foldsUnicode ? name.normalize("NFC") : name;
    return folding.foldsUnicode ? pathKey(name, folding) : name.toUpperCase().toLowerCase();
  }

  stampTime(): number {
    const { granularityMs } = this.options;
    this.now += 0.25;
    return granularityMs === 0 ? this.now : Math.floor(this.now / granularityMs) * granularityMs;
  }

  /** Changes names in one atomic step: after a power loss all of `changes` are there, or none. */
  setNames(changes: readonly { readonly folder: Inode; readonly name: string; readonly inode: Inode | null }[]): void {
    const step: Change[] = [];
    for (const { folder, name, inode } of changes) {
      const key = this.key(name);
      const change = {
        folder,
        key,
        before: folder.entries.get(key),
        after: inode === null ? undefined : { name, inode },
      };
      step.push(change);
      this.apply(folder, key, change.before, change.after);
      folder.mtimeMs = folder.ctimeMs = this.stampTime();
    }
    this.log.push(step);
    if (this.log.length > MAX_AT_RISK) this.log = this.log.slice(MAX_AT_RISK / 2);
  }

  private apply(folder: Inode, key: string, before: Entry | undefined, after: Entry | undefined): void {
    if (after === undefined) folder.entries.delete(key);
    else folder.entries.set(key, after);
    for (const [entry, by] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (entry === undefined) continue;
      const { inode } = entry;
      if (inode.kind === "folder") {
        folder.nlink += by;
        inode.parent = by === 1 ? folder : inode.parent === folder ? null : inode.parent;
      } else inode.nlink += by;
    }
  }

  setBytes(inode: Inode, bytes: Uint8Array): void {
    // An open handle may write into an inode that has no name any more.
    if (inode.nlink > 0) this.used += bytes.length - inode.bytes.length;
    inode.bytes = bytes;
    inode.dirty = true;
    inode.mtimeMs = inode.ctimeMs = this.stampTime();
  }

  /**
   * Called after a name was removed. An inode without names is gone, and its number may be used
   * again. An open handle keeps the object, not the number.
   */
  release(inode: Inode): void {
    inode.ctimeMs = this.stampTime();
    const gone = inode.kind === "folder" ? inode.parent === null : inode.nlink === 0;
    if (!gone) return;
    this.used -= inode.bytes.length;
    this.files.delete(inode);
    this.freed.push(inode.ino);
  }

  /**
   * Flushes the bytes of a file (fsync) and, like a journalling disk, every change of names so far.
   */
  sync(inode: Inode): void {
    if (inode.kind === "file") {
      inode.synced = inode.bytes;
      inode.dirty = false;
    }
    this.log = [];
  }

  /** Flushes everything, as a kernel does after half a minute without writes. */
  syncAll(): void {
    for (const inode of this.files) this.sync(inode);
    this.log = [];
  }

  /**
   * Cuts the power.
   * ASSUMES: changes of names are flushed in their order (ext4, XFS, Btrfs, APFS and NTFS journal
   * them so). Bytes of a file without fsync may survive or not: whole, as at the last fsync, empty,
   * as zeros, or cut off at a sector with nothing or zeros after it.
   */
  losePower(fraction: () => number): void {
    const kept = Math.floor(fraction() * (this.log.length + 1));
    for (const step of this.log.slice(kept).reverse()) {
      for (const { folder, key, before, after } of step.toReversed()) this.apply(folder, key, after, before);
    }
    this.log = [];
    this.files.clear();
    this.used = 0;
    const numbers = new Set<number>([this.root.ino]);
    this.recount(this.root, numbers, fraction);
    this.freed.length = 0;
    for (let ino = this.nextIno - 1; ino > 1; ino--) if (!numbers.has(ino)) this.freed.push(ino);
  }

  private recount(folder: Inode, numbers: Set<number>, fraction: () => number): void {
    for (const { inode } of folder.entries.values()) {
      const first = !numbers.has(inode.ino);
      numbers.add(inode.ino);
      if (inode.kind === "folder") {
        inode.parent = folder;
        this.recount(inode, numbers, fraction);
      } else if (first) {
        if (inode.dirty) inode.bytes = survivingBytes(inode, fraction);
        inode.dirty = false;
        inode.synced = inode.bytes;
        this.used += inode.bytes.length;
        if (inode.kind === "file") this.files.add(inode);
      }
    }
  }
}

/** Folds case code point by code point, so "ß" and "ss" are different names. */
function foldSimply(name: string): string {
  let folded = "";
  for (const character of name) {
    const upper = character.toUpperCase();
    folded += (upper.length === character.length ? upper : character).toLowerCase();
  }
  return folded;
}

/** Bytes of a sector. */
const SECTOR = 512;
/** Bytes of a file, and its bytes at the last fsync; null if there was none. */
type Written = { readonly bytes: Uint8Array; readonly synced: Uint8Array | null };

/** Returns the bytes that a power cut leaves of a file without fsync since its last write. */
function survivingBytes({ bytes, synced }: Written, fraction: () => number): Uint8Array {
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
      // Disks write whole sectors, so an incomplete write ends at a sector. The size may be flushed
      // before the bytes.
      const cut = bytes.slice(0, Math.floor((fraction() * bytes.length) / SECTOR) * SECTOR);
      if (fraction() < 0.5) return cut;
      const padded = new Uint8Array(bytes.length);
      padded.set(cut);
      return padded;
    }
  }
}
