import { EXACT_DISK, MAX_NAME_BYTES } from "../../src/contract/path.ts";
import type { Fs, FsStat, FilesOpenToWrite } from "../../src/mirror/ports/disk.ts";
import { findPath, RamCalls, RamError } from "./ram-calls.ts";
import { RamNodes } from "./ram-nodes.ts";
import { RamUser } from "./ram-user.ts";

export type RamDiskOptions = {
  readonly foldsCase?: boolean;
  readonly foldsUnicode?: boolean;
  /** False if `link` fails with EPERM, as on FAT; default true. */
  readonly hardLinks?: boolean;
  /**
   * Milliseconds to which stamps are rounded down. Default 4, a kernel tick; 2000 for FAT; with 0
   * every change has its own time.
   */
  readonly granularityMs?: number;
  /** True if a removed inode's number is used for the next new inode, as on ext4; default true. */
  readonly reusesInodes?: boolean;
  /** False if the disk does not store when a file was created, as NFS does not; default true. */
  readonly hasBirthTimes?: boolean;
  /** Maximum bytes of a name; default 255, for eCryptfs 143. */
  readonly maxNameBytes?: number;
  /**
   * `darwin`: calls have the results of macOS where these differ, and no call flushes a whole disk.
   * Default `linux`.
   */
  readonly system?: "linux" | "darwin";
};

/**
 * The usual disk of a Mac. It folds case code point by code point, folds normal forms, keeps each
 * name's spelling, has times in nanoseconds, and never uses an inode number twice.
 */
export const APFS: RamDiskOptions = {
  foldsCase: true,
  foldsUnicode: true,
  granularityMs: 0,
  reusesInodes: false,
  system: "darwin",
};

/**
 * Name of a call, for `beforeCall` and `fail`. `writeNew` has two more moments: the file exists,
 * and its bytes are written.
 */
export type RamCall = keyof Fs | "writeNew.bytes" | "writeNew.sync";

const READS: ReadonlySet<RamCall> = new Set(["lstat", "readdir", "readFile", "readLink", "realpath"]);

export type RamFault = {
  readonly call: RamCall | "any";
  /** Path that one argument of the call has, or of which it is a child; null for any call. */
  readonly path: string | null;
  readonly code: string;
  /** Number of calls that fail; default Infinity. */
  readonly times?: number;
};

/**
 * A disk in memory that behaves like ext4, errno by errno: both run the same tests
 * (`fs-contract.test.ts`). Options change it. The behaviour of `darwin` follows documentation; the
 * tests have not run on a Mac.
 */
export class RamDisk implements Fs {
  /**
   * Called before each call of the Fs (not of `user`). It may act as a user, or kill the process by
   * throwing an error without an errno.
   */
  beforeCall: ((call: RamCall, path: string) => void) | null = null;
  /** Called at the two moments within a `writeNew`. */
  amidWrite: ((part: "writeNew.bytes" | "writeNew.sync") => void) | null = null;
  /** Actions of other programs on the disk, without hooks, faults or capacity. */
  readonly user: RamUser;
  /** Bytes that all files together may have; a `writeNew` beyond it fails with ENOSPC. */
  capacity = Number.POSITIVE_INFINITY;
  syncDisk?: (path: string) => Promise<boolean>;
  /** Inodes that programs have open for writing, as the system reports them. */
  openToWrite: ReadonlySet<number | null> = new Set();
  readonly #nodes: RamNodes;
  readonly #calls: RamCalls;
  readonly #faults: { readonly fault: RamFault; left: number }[] = [];
  #count = 0;
  #changes = 0;

  /** @param from a `copy` of a disk with the same options; null for an empty disk */
  constructor(options: RamDiskOptions = {}, from: Buffer | null = null) {
    this.#nodes = new RamNodes({
      folding: {
        foldsCase: options.foldsCase ?? EXACT_DISK.foldsCase,
        foldsUnicode: options.foldsUnicode ?? EXACT_DISK.foldsUnicode,
      },
      granularityMs: options.granularityMs ?? 4,
      reusesInodes: options.reusesInodes ?? true,
      hasBirthTimes: options.hasBirthTimes ?? true,
      maxNameBytes: options.maxNameBytes ?? MAX_NAME_BYTES,
      isDarwin: options.system === "darwin",
    });
    if (options.system !== "darwin") this.syncDisk = (path) => this.#syncWhole(path);
    if (from !== null) this.#nodes.goBackTo(from);
    this.#calls = new RamCalls(this.#nodes, options.hardLinks ?? true);
    this.user = new RamUser(this.#nodes, this.#calls);
  }

  /** Number of calls of the Fs. */
  get calls(): number {
    return this.#count;
  }

  /** Number of calls of the Fs that may have changed the disk, or its durable part. */
  get changes(): number {
    return this.#changes;
  }

  lstat(path: string): FsStat {
    this.#enter("lstat", path);
    return this.#calls.lstat(path);
  }

  readdir(path: string): ReturnType<Fs["readdir"]> {
    this.#enter("readdir", path);
    return this.#calls.readdir(path);
  }

  readFile(path: string): ReturnType<Fs["readFile"]> {
    this.#enter("readFile", path);
    return this.#calls.readFile(path);
  }

  readLink(path: string): string {
    this.#enter("readLink", path);
    return this.#calls.readLink(path);
  }

  writeNew(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): void {
    this.#enter("writeNew", path);
    const file = this.#calls.makeFile(path, mode);
    try {
      this.#enter("writeNew.bytes", path);
      if (this.#nodes.used + bytes.length > this.capacity) throw new RamError("ENOSPC", "write", path);
      this.#nodes.setBytes(file, bytes.slice());
      this.#enter("writeNew.sync", path);
      if (sync) this.#nodes.sync(file);
    } catch (error) {
      if (error instanceof RamError) this.#calls.unlink(path);
      throw error;
    }
  }

  rename(from: string, to: string): void {
    this.#enter("rename", from, to);
    this.#calls.rename(from, to);
  }

  link(existing: string, path: string): void {
    this.#enter("link", existing, path);
    this.#calls.link(existing, path);
  }

  unlink(path: string): void {
    this.#enter("unlink", path);
    this.#calls.unlink(path);
  }

  mkdir(path: string, mode: number): void {
    this.#enter("mkdir", path);
    this.#calls.mkdir(path, mode);
  }

  rmdir(path: string): void {
    this.#enter("rmdir", path);
    this.#calls.rmdir(path);
  }

  realpath(path: string): string {
    this.#enter("realpath", path);
    return this.#calls.realpath(path);
  }

  async sync(path: string): Promise<void> {
    this.#enter("sync", path);
    const { inode } = findPath(this.#nodes, "open", path, false);
    if (inode === null) throw new RamError("ENOENT", "open", path);
    if (inode.kind === "symlink") throw new RamError("ELOOP", "open", path);
    this.#nodes.sync(inode);
  }

  /**
   * Lets calls fail.
   * @returns a function that ends the fault
   */
  fail(fault: RamFault): () => void {
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#faults.push(entry);
    return () => Object.assign(entry, { left: 0 });
  }

  /** Returns the disk's own time in milliseconds. */
  now(): number {
    return this.#nodes.now;
  }

  advance(ms: number): void {
    this.#nodes.now += ms;
  }

  /** Flushes everything. */
  settle(): void {
    this.#nodes.syncAll();
  }

  /**
   * Cuts the power: keeps or loses unflushed data, as `fraction` (a seeded random number in [0, 1))
   * decides. Open handles no longer work.
   */
  losePower(fraction: () => number): void {
    this.#nodes.losePower(fraction);
  }

  /**
   * Returns a copy with which another disk can continue, without faults, hooks and open handles.
   */
  copy(): Buffer {
    return this.#nodes.copy();
  }

  #enter(call: RamCall, path: string, to = path): void {
    this.#count++;
    this.beforeCall?.(call, path);
    if (call === "writeNew.bytes" || call === "writeNew.sync") this.amidWrite?.(call);
    if (!READS.has(call)) this.#changes++;
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (entry.left <= 0 || (fault.call !== "any" && fault.call !== call)) continue;
      if (fault.path !== null && !lies(path, fault.path) && !lies(to, fault.path)) continue;
      entry.left--;
      throw new RamError(fault.code, call, path);
    }
  }

  listOpenToWrite(): FilesOpenToWrite {
    const open = this.openToWrite;
    return { has: (path) => open.has(this.user.inode(path)) };
  }

  async #syncWhole(path: string): Promise<boolean> {
    this.#enter("syncDisk", path);
    this.#nodes.syncAll();
    return true;
  }
}

function lies(path: string, at: string): boolean {
  return path === at || path.startsWith(`${at}/`);
}
