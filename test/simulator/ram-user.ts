import { findPath, type RamCalls, RamError } from "./ram-calls.ts";
import type { Inode, RamNodes } from "./ram-nodes.ts";

/** An open file of a program: its writes go to the inode, whatever name that has now. */
export class RamHandle {
  readonly #nodes: RamNodes;
  readonly #inode: Inode;

  constructor(nodes: RamNodes, inode: Inode) {
    this.#nodes = nodes;
    this.#inode = inode;
  }

  write(text: string | Uint8Array): void {
    this.#nodes.setBytes(this.#inode, bytesOf(text));
  }

  append(text: string): void {
    this.#nodes.setBytes(this.#inode, Buffer.concat([this.#inode.bytes, Buffer.from(text)]));
  }

  read(): string {
    return textOf(this.#inode);
  }
}

/**
 * Actions of users and their programs on the disk, with absolute paths. Errors are those of the Fs.
 */
export class RamUser {
  readonly #nodes: RamNodes;
  readonly #calls: RamCalls;
  #saves = 0;

  constructor(nodes: RamNodes, calls: RamCalls) {
    this.#nodes = nodes;
    this.#calls = calls;
  }

  /** Writes in place: truncates and writes the same inode. Creates a missing file. */
  write(path: string, text: string | Uint8Array): void {
    const inode = this.#find(path).inode ?? this.#calls.makeFile(path, null);
    if (inode.kind !== "file") throw new RamError("EISDIR", "open", path);
    this.#nodes.setBytes(inode, bytesOf(text));
  }

  /** Saves like most editors: writes a new file beside the old one, and renames it over that. */
  saveAtomically(path: string, text: string | Uint8Array): void {
    const temp = `${path}.save${++this.#saves}~`;
    this.write(temp, text);
    this.#calls.rename(temp, path);
  }

  open(path: string): RamHandle {
    const { inode } = this.#find(path);
    if (inode === null) throw new RamError("ENOENT", "open", path);
    return new RamHandle(this.#nodes, inode);
  }

  /** Returns the content of a file; null if there is none. */
  read(path: string): string | null {
    const inode = this.#lookup(path);
    return inode?.kind === "file" ? textOf(inode) : null;
  }

  exists(path: string): boolean {
    return this.#lookup(path) !== null;
  }

  /** Returns the inode of the file; null if there is no file. */
  inode(path: string): number | null {
    const inode = this.#lookup(path);
    return inode?.kind === "file" ? inode.ino : null;
  }

  rename(from: string, to: string): void {
    this.#calls.rename(from, to);
  }

  /** Removes a file or a folder with its contents. A missing one is no error. */
  remove(path: string): void {
    const inode = this.#lookup(path);
    if (inode === null) return;
    if (inode.kind === "folder") {
      for (const { name } of [...inode.entries.values()]) this.remove(`${path}/${name}`);
      this.#calls.rmdir(path);
    } else this.#calls.unlink(path);
  }

  /** Creates a folder and the missing folders above it. */
  makeFolder(path: string): void {
    let made = "";
    for (const name of path.split("/").filter((part) => part !== "")) {
      made = `${made}/${name}`;
      if (this.#find(made).inode === null) this.#calls.mkdir(made, 0o755);
    }
  }

  hardLink(existing: string, path: string): void {
    this.#calls.link(existing, path);
  }

  symlink(target: string, path: string): void {
    this.#makeNode("symlink", path).target = target;
  }

  special(path: string): void {
    this.#makeNode("special", path);
  }

  chmod(path: string, mode: number): void {
    const { inode } = this.#find(path);
    if (inode === null) throw new RamError("ENOENT", "chmod", path);
    inode.mode = mode;
    inode.ctimeMs = this.#nodes.stampTime();
  }

  /**
   * Sets a file's time, like `touch -d` and programs that copy times. On macOS, a time before the
   * file's birth changes the birth too.
   */
  setTime(path: string, mtimeMs: number): void {
    const { inode } = this.#find(path);
    if (inode === null) throw new RamError("ENOENT", "utimes", path);
    inode.mtimeMs = mtimeMs;
    inode.ctimeMs = this.#nodes.stampTime();
    if (this.#nodes.options.isDarwin) inode.birthMs = Math.min(inode.birthMs, mtimeMs);
  }

  /**
   * Mounts an empty folder of another disk over an existing folder.
   * @returns a function that unmounts it
   */
  mount(path: string): () => void {
    const { folder, name, inode } = this.#find(path);
    if (inode?.kind !== "folder") throw new RamError("ENOTDIR", "mount", path);
    const key = this.#nodes.key(name);
    const covered = folder.entries.get(key)!;
    const mounted = this.#nodes.make("folder", folder.dev + 1 + this.#saves++);
    mounted.parent = folder;
    folder.entries.set(key, { name: covered.name, inode: mounted });
    return () => void folder.entries.set(key, covered);
  }

  /**
   * Returns the contents of all files below `folder`, sorted, by relative path; without `.mdmirror`
   * by default.
   */
  texts(folder: string, withMirror = false): Map<string, string> {
    const texts = new Map<string, string>();
    const inode = this.#lookup(folder);
    if (inode !== null) collect(inode, "", withMirror, texts);
    return new Map([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns all folders below `folder`, sorted, as relative paths. */
  folders(folder: string): string[] {
    const found: string[] = [];
    const inode = this.#lookup(folder);
    if (inode !== null) collectFolders(inode, "", found);
    return found.sort();
  }

  #find(path: string): ReturnType<typeof findPath> {
    return findPath(this.#nodes, "open", path, false);
  }

  #lookup(path: string): Inode | null {
    try {
      return this.#find(path).inode;
    } catch (error) {
      if (error instanceof RamError && (error.code === "ENOENT" || error.code === "ENOTDIR")) return null;
      throw error;
    }
  }

  #makeNode(kind: Inode["kind"], path: string): Inode {
    const { folder, name, inode } = this.#find(path);
    if (inode !== null) throw new RamError("EEXIST", "mknod", path);
    const made = this.#nodes.make(kind, folder.dev);
    this.#nodes.setNames([{ folder, name, inode: made }]);
    return made;
  }
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

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? Buffer.from(text) : text.slice();
}

function textOf(inode: Inode): string {
  return Buffer.from(inode.bytes).toString("utf8");
}
