import { EXACT_DISK } from "../../src/model/path.ts";
import type { Fs, FsStat } from "../../src/ports/disk.ts";
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
};

export function createRamDisk(options: RamDiskOptions = {}): RamDisk {
  const nodes = new RamNodes({
    folding: {
      foldsCase: options.foldsCase ?? EXACT_DISK.foldsCase,
      foldsUnicode: options.foldsUnicode ?? EXACT_DISK.foldsUnicode,
    },
    granularityMs: options.granularityMs ?? 4,
    reusesInodes: options.reusesInodes ?? true,
  });
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
  };
  return disk;
}

/** The calls without hooks and faults. */
export type RamCalls = Omit<Fs, "writeNew" | "makeNew" | "sync" | "syncDisk"> & {
  makeFile(path: string, mode: number | null): Inode;
};

function createCalls(nodes: RamNodes, hardLinks: boolean): RamCalls {
  function mustFind(
    call: string,
    path: string,
    follow = false,
  ): { inode: Inode; folder: Inode; name: string; real: string } {
    const { inode, folder, name, real } = findPath(nodes, call, path, follow);
    if (inode === null) throw new RamError("ENOENT", call, path);
    return { inode, folder, name, real };
  }

  function makeAt(call: string, path: string, kind: Inode["kind"], mode: number): Inode {
    const { folder, name, inode } = findPath(nodes, call, path, false);
    if (inode !== null) throw new RamError("EEXIST", call, path);
    const made = nodes.make(kind, folder.dev);
    made.mode = mode;
    nodes.setNames([{ folder, name, inode: made }]);
    return made;
  }

  return {
    lstat: (path) => statOf(mustFind("lstat", path).inode),
    readdir(path) {
      const { inode } = mustFind("scandir", path, true);
      if (inode.kind !== "folder") throw new RamError("ENOTDIR", "scandir", path);
      return Array.from(inode.entries.values(), (entry) => ({ name: entry.name, kind: entry.inode.kind }));
    },
    readFile(path) {
      const { inode } = mustFind("open", path);
      if (inode.kind === "symlink") throw new RamError("ELOOP", "open", path);
      if (inode.kind === "folder") throw new RamError("EISDIR", "read", path);
      if (inode.kind === "special") throw new RamError("EINVAL", "read", path);
      return { bytes: inode.bytes, stat: statOf(inode) };
    },
    makeFile: (path, mode) => makeAt("open", path, "file", mode ?? 0o644),
    mkdir: (path, mode) => void makeAt("mkdir", path, "folder", mode & 0o755),
    rename(from, to) {
      const source = mustFind("rename", from);
      const target = findPath(nodes, "rename", to, false);
      renameChecks(source.inode, target, from);
      const { inode } = source;
      const sameEntry = source.folder === target.folder && nodes.key(source.name) === nodes.key(target.name);
      if (sameEntry) {
        if (target.entry?.name !== target.name) nodes.setNames([{ folder: source.folder, name: target.name, inode }]);
        return;
      }
      // POSIX: two names of one inode; nothing is done.
      if (target.inode === inode) return;
      nodes.setNames([
        { folder: source.folder, name: source.name, inode: null },
        { folder: target.folder, name: target.name, inode },
      ]);
      if (target.inode !== null) nodes.release(target.inode);
      inode.ctimeMs = nodes.stampTime();
    },
    link(existing, path) {
      const { inode } = mustFind("link", existing);
      const { folder, name, inode: there } = findPath(nodes, "link", path, false);
      if (there !== null) throw new RamError("EEXIST", "link", path);
      if (folder.dev !== inode.dev) throw new RamError("EXDEV", "link", path);
      if (inode.kind === "folder" || !hardLinks) throw new RamError("EPERM", "link", path);
      nodes.setNames([{ folder, name, inode }]);
      inode.ctimeMs = nodes.stampTime();
    },
    unlink(path) {
      const { inode, folder, name } = mustFind("unlink", path);
      if (inode.kind === "folder") throw new RamError("EISDIR", "unlink", path);
      nodes.setNames([{ folder, name, inode: null }]);
      nodes.release(inode);
    },
    rmdir(path) {
      const { inode, folder, name } = mustFind("rmdir", path);
      if (inode.kind !== "folder") throw new RamError("ENOTDIR", "rmdir", path);
      if (inode === nodes.root || inode.dev !== folder.dev) throw new RamError("EBUSY", "rmdir", path);
      if (inode.entries.size > 0) throw new RamError("ENOTEMPTY", "rmdir", path);
      nodes.setNames([{ folder, name, inode: null }]);
      nodes.release(inode);
    },
    realpath(path) {
      const { real } = mustFind("realpath", path, true);
      return real === "" ? "/" : real;
    },
  };
}

function renameChecks(source: Inode, target: { folder: Inode; inode: Inode | null }, path: string): void {
  if (source.dev !== target.folder.dev) throw new RamError("EXDEV", "rename", path);
  if (source.kind === "folder") {
    for (let at: Inode | null = target.folder; at !== null; at = at.parent)
      if (at === source) throw new RamError("EINVAL", "rename", path);
  }
  if (target.inode === null || target.inode === source) return;
  if (source.kind === "folder" && target.inode.kind !== "folder") throw new RamError("ENOTDIR", "rename", path);
  if (source.kind !== "folder" && target.inode.kind === "folder") throw new RamError("EISDIR", "rename", path);
  if (target.inode.entries.size > 0) throw new RamError("ENOTEMPTY", "rename", path);
}

function statOf(inode: Inode): FsStat {
  return {
    dev: inode.dev,
    ino: inode.ino,
    size: inode.kind === "folder" ? 4096 : inode.kind === "symlink" ? inode.target.length : inode.bytes.length,
    mtimeMs: inode.mtimeMs,
    ctimeMs: inode.ctimeMs,
    birthMs: inode.birthMs,
    nlink: inode.nlink,
    kind: inode.kind,
    mode: inode.mode,
  };
}
