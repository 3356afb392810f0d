import type { RamCalls } from "./ram-calls.ts";
import type { Inode, RamNodes } from "./ram-nodes.ts";
import { findPath, RamError } from "./ram-paths.ts";

/** A file that a program holds open: its writes go to that inode, wherever its name is by then. */
export type RamHandle = { write(text: string | Uint8Array): void; append(text: string): void; read(): string };

/** What people and their programs do on the disk. Paths are absolute. Errors as of the Fs. */
export type RamUser = {
  /** In place: the same inode, cut off and written. Made when it is not there. */
  write(path: string, text: string | Uint8Array): void;
  /** As most editors save: a new file beside, renamed over. */
  saveAtomically(path: string, text: string | Uint8Array): void;
  open(path: string): RamHandle;
  /** null when no file is there. */
  read(path: string): string | null;
  exists(path: string): boolean;
  /** Of the file there; null when no file is there. */
  inode(path: string): number | null;
  rename(from: string, to: string): void;
  /** A file, or a folder with all below it; nothing is fine. */
  remove(path: string): void;
  /** With the folders above. */
  makeFolder(path: string): void;
  hardLink(existing: string, path: string): void;
  symlink(target: string, path: string): void;
  special(path: string): void;
  chmod(path: string, mode: number): void;
  /** An empty folder of another disk covers the one that is there. @returns what uncovers it */
  mount(path: string): () => void;
  /**
   * Every file below, by path relative to `folder`, sorted; `.mdmirror` left out unless asked for.
   */
  texts(folder: string, withMirror?: boolean): Map<string, string>;
  /** Every folder below, likewise. */
  folders(folder: string): string[];
};

export function createRamUser(nodes: RamNodes, calls: RamCalls): RamUser {
  const bytesOf = (text: string | Uint8Array) => (typeof text === "string" ? Buffer.from(text) : text.slice());
  const textOf = (inode: Inode) => Buffer.from(inode.bytes).toString("utf8");
  const find = (path: string) => findPath(nodes, "open", path, false);
  let saves = 0;

  const user: RamUser = {
    write(path, text) {
      const inode = find(path).inode ?? calls.makeFile(path, null);
      if (inode.kind !== "file") throw new RamError("EISDIR", "open", path);
      nodes.setBytes(inode, bytesOf(text));
    },
    saveAtomically(path, text) {
      const temp = `${path}.save${++saves}~`;
      user.write(temp, text);
      calls.rename(temp, path);
    },
    open(path) {
      const { inode } = find(path);
      if (inode === null) throw new RamError("ENOENT", "open", path);
      return {
        write: (text) => nodes.setBytes(inode, bytesOf(text)),
        append: (text) => nodes.setBytes(inode, Buffer.concat([inode.bytes, Buffer.from(text)])),
        read: () => textOf(inode),
      };
    },
    read(path) {
      const inode = lookup(nodes, path);
      return inode?.kind === "file" ? textOf(inode) : null;
    },
    inode(path) {
      const inode = lookup(nodes, path);
      return inode?.kind === "file" ? inode.ino : null;
    },
    exists: (path) => lookup(nodes, path) !== null,
    rename: (from, to) => calls.rename(from, to),
    remove(path) {
      const inode = lookup(nodes, path);
      if (inode === null) return;
      if (inode.kind !== "folder") return calls.unlink(path);
      for (const { name } of [...inode.entries.values()]) user.remove(`${path}/${name}`);
      calls.rmdir(path);
    },
    makeFolder(path) {
      let made = "";
      for (const name of path.split("/").filter((part) => part !== "")) {
        made = `${made}/${name}`;
        if (find(made).inode === null) calls.mkdir(made, 0o755);
      }
    },
    hardLink: (existing, path) => calls.link(existing, path),
    symlink(target, path) {
      makeNode("symlink", path).target = target;
    },
    special: (path) => void makeNode("special", path),
    chmod(path, mode) {
      const { inode } = find(path);
      if (inode === null) throw new RamError("ENOENT", "chmod", path);
      inode.mode = mode;
      inode.ctimeMs = nodes.stampTime();
    },
    mount(path) {
      const { folder, name, inode } = find(path);
      if (inode?.kind !== "folder") throw new RamError("ENOTDIR", "mount", path);
      const key = nodes.key(name);
      const covered = folder.entries.get(key)!;
      const mounted = nodes.make("folder", folder.dev + 1 + saves++);
      mounted.parent = folder;
      folder.entries.set(key, { name: covered.name, inode: mounted });
      return () => void folder.entries.set(key, covered);
    },
    texts(folder, withMirror = false) {
      const texts = new Map<string, string>();
      const inode = lookup(nodes, folder);
      if (inode !== null) collect(inode, "", withMirror, texts);
      return new Map([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    folders(folder) {
      const found: string[] = [];
      const inode = lookup(nodes, folder);
      if (inode !== null) collectFolders(inode, "", found);
      return found.sort();
    },
  };

  function makeNode(kind: Inode["kind"], path: string): Inode {
    const { folder, name, inode } = find(path);
    if (inode !== null) throw new RamError("EEXIST", "mknod", path);
    const made = nodes.make(kind, folder.dev);
    nodes.setNames([{ folder, name, inode: made }]);
    return made;
  }

  function collect(folder: Inode, path: string, withMirror: boolean, texts: Map<string, string>): void {
    for (const { name, inode } of folder.entries.values()) {
      if (path === "" && name === ".mdmirror" && !withMirror) continue;
      const below = path === "" ? name : `${path}/${name}`;
      if (inode.kind === "folder") collect(inode, below, withMirror, texts);
      else if (inode.kind === "file") texts.set(below, textOf(inode));
    }
  }

  function collectFolders(folder: Inode, path: string, found: string[]): void {
    for (const { name, inode } of folder.entries.values()) {
      if (inode.kind !== "folder" || (path === "" && name === ".mdmirror")) continue;
      const below = path === "" ? name : `${path}/${name}`;
      found.push(below);
      collectFolders(inode, below, found);
    }
  }
  return user;
}

function lookup(nodes: RamNodes, path: string): Inode | null {
  try {
    return findPath(nodes, "open", path, false).inode;
  } catch (error) {
    if (error instanceof RamError && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
    throw error;
  }
}
