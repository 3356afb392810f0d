import type { Fs, FsStat } from "../../src/ports/disk.ts";
import type { Inode, RamNodes } from "./ram-nodes.ts";
import { findPath, RamError } from "./ram-paths.ts";

/** The calls without hooks and faults. */
export type RamCalls = Omit<Fs, "writeNew" | "makeNew" | "sync" | "syncDisk"> & {
  makeFile(path: string, mode: number | null): Inode;
};

export function createCalls(nodes: RamNodes, hardLinks: boolean): RamCalls {
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

export function statOf(inode: Inode): FsStat {
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
