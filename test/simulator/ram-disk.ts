import { EXACT_DISK } from "../../src/model/path.ts";
import type { Fs } from "../../src/ports/disk.ts";
import { createCalls, statOf } from "./ram-calls.ts";
import { type Inode, RamNodes } from "./ram-nodes.ts";
import { findPath, RamError } from "./ram-paths.ts";
import { type RamUser, createRamUser } from "./ram-user.ts";

export type RamDiskOptions = {
  readonly foldsCase?: boolean;
  readonly foldsUnicode?: boolean;
  /** False: `link` answers EPERM, as FAT does. Default true. */
  readonly hardLinks?: boolean;
  /**
   * Milliseconds to which stamps are rounded down. Default 4, a kernel tick; 2000 is FAT's; 0:
   * every change has its own time.
   */
  readonly granularityMs?: number;
  /** Whether the number of a removed inode is given to the next one, as ext4 does. Default true. */
  readonly reusesInodes?: boolean;
};

/**
 * The name of a call, as `beforeCall` and `fail` know it. `writeNew` has two more moments: the file
 * exists, and its bytes are there. `makeNew` is one, too.
 */
export type RamCall = Exclude<keyof Fs, "makeNew"> | "writeNew.bytes" | "writeNew.sync" | "stat";

export type RamFault = {
  readonly call: RamCall | "any";
  /** The path (either of two), or all below it; null: any. */
  readonly path: string | null;
  readonly code: string;
  /** How many calls fail; Infinity by default. */
  readonly times?: number;
};

/**
 * A disk in memory that behaves as ext4 does, errno by errno (proven by the test list that both
 * run), but for what its options say.
 */
export type RamDisk = Fs & {
  /**
   * Runs before each call of the Fs (not of `user`): may act as a user, and kill by throwing an
   * error without an errno.
   */
  beforeCall: ((call: RamCall, path: string) => void) | null;
  /** Calls of the Fs so far. */
  readonly calls: number;
  /** Whoever else writes on the disk: no hooks, no faults, no capacity. */
  readonly user: RamUser;
  /** Bytes of all files; a `writeNew` that would exceed it fails with ENOSPC. */
  capacity: number;
  /** @returns what ends the fault */
  fail(fault: RamFault): () => void;
  /** Milliseconds, of the disk's own clock. */
  now(): number;
  advance(ms: number): void;
  /** Everything reaches the medium. */
  settle(): void;
  /**
   * What was not synced survives or not, by `fraction` (a seeded random in [0, 1)). Open handles
   * are dead.
   */
  losePower(fraction: () => number): void;
  /** What `createRamDisk` goes on from; without faults, hooks and open handles. */
  copy(): Buffer;
};

/** @param from what it holds: a `copy` of a disk with the same options; null: nothing */
export function createRamDisk(options: RamDiskOptions = {}, from: Buffer | null = null): RamDisk {
  const nodes = new RamNodes({
    folding: {
      foldsCase: options.foldsCase ?? EXACT_DISK.foldsCase,
      foldsUnicode: options.foldsUnicode ?? EXACT_DISK.foldsUnicode,
    },
    granularityMs: options.granularityMs ?? 4,
    reusesInodes: options.reusesInodes ?? true,
  });
  if (from !== null) nodes.goBackTo(from);
  const calls = createCalls(nodes, options.hardLinks ?? true);
  const faults: { fault: RamFault; left: number }[] = [];
  let count = 0;

  const lies = (path: string, at: string) => path === at || path.startsWith(`${at}/`);

  function enter(call: RamCall, path: string, to = path): void {
    count++;
    disk.beforeCall?.(call, path);
    for (const entry of faults) {
      const { fault } = entry;
      if (entry.left <= 0 || (fault.call !== "any" && fault.call !== call)) continue;
      if (fault.path !== null && !lies(path, fault.path) && !lies(to, fault.path)) continue;
      entry.left--;
      throw new RamError(fault.code, call, path);
    }
  }

  function makeFile(path: string, bytes: Uint8Array, mode: number | null, sync: boolean): Inode {
    enter("writeNew", path);
    const file = calls.makeFile(path, mode);
    try {
      enter("writeNew.bytes", path);
      if (nodes.used + bytes.length > disk.capacity) throw new RamError("ENOSPC", "write", path);
      nodes.setBytes(file, bytes.slice());
      enter("writeNew.sync", path);
      if (sync) nodes.sync(file);
    } catch (error) {
      if (error instanceof RamError) calls.unlink(path);
      throw error;
    }
    return file;
  }

  const disk: RamDisk = {
    lstat(path) {
      enter("lstat", path);
      return calls.lstat(path);
    },
    readdir(path) {
      enter("readdir", path);
      return calls.readdir(path);
    },
    readFile(path) {
      enter("readFile", path);
      return calls.readFile(path);
    },
    writeNew(path, bytes, mode, sync) {
      makeFile(path, bytes, mode, sync);
    },
    makeNew(path, bytes) {
      const file = makeFile(path, bytes, null, false);
      const stat = () => {
        enter("stat", path);
        return statOf(file);
      };
      return { stat, close: () => undefined };
    },
    rename(from, to) {
      enter("rename", from, to);
      calls.rename(from, to);
    },
    link(existing, path) {
      enter("link", existing, path);
      calls.link(existing, path);
    },
    unlink(path) {
      enter("unlink", path);
      calls.unlink(path);
    },
    mkdir(path, mode) {
      enter("mkdir", path);
      calls.mkdir(path, mode);
    },
    rmdir(path) {
      enter("rmdir", path);
      calls.rmdir(path);
    },
    realpath(path) {
      enter("realpath", path);
      return calls.realpath(path);
    },
    async sync(path) {
      enter("sync", path);
      const { inode } = findPath(nodes, "open", path, false);
      if (inode === null) throw new RamError("ENOENT", "open", path);
      if (inode.kind === "symlink") throw new RamError("ELOOP", "open", path);
      nodes.sync(inode);
    },
    async syncDisk(path) {
      enter("syncDisk", path);
      nodes.syncAll();
      return true;
    },
    beforeCall: null,
    get calls() {
      return count;
    },
    user: createRamUser(nodes, calls),
    capacity: Number.POSITIVE_INFINITY,
    fail(fault) {
      const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      faults.push(entry);
      return () => {
        entry.left = 0;
      };
    },
    now: () => nodes.now,
    advance: (ms) => {
      nodes.now += ms;
    },
    settle: () => nodes.syncAll(),
    losePower: (fraction) => nodes.losePower(fraction),
    copy: () => nodes.copy(),
  };
  return disk;
}
