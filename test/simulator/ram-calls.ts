import { constants } from "node:os";
import { getSystemErrorMap } from "node:util";
import type { Entry, Inode, RamNodes } from "./ram-nodes.ts";
import type { FsStat } from "../../src/mirror/ports/disk.ts";

/** Errors that have a name in libuv, by negative number. Node makes a new map in each call. */
const NAMED_ERRORS = getSystemErrorMap();

/**
 * An error in the form of node:fs, without a stack: a missing file is no failure, and the stack
 * would be most of the cost.
 */
export class RamError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path: string;
  constructor(code: string, syscall: string, path: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${code}: ${syscall} '${path}'`);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = codeInNode(code);
    this.syscall = syscall;
    this.path = path;
  }
}

/**
 * Returns the code that Node gives an errno. libuv has no name for some of them, such as EDQUOT and
 * ESTALE.
 */
function codeInNode(name: string): string {
  const number = (constants.errno as Readonly<Record<string, number>>)[name];
  return number === undefined || NAMED_ERRORS.has(-number) ? name : `Unknown system error -${number}`;
}

/**
 * The target of a path: the folder that contains its last name, and the entry with that name.
 * `inode` is null if there is no entry. The root has no folder.
 */
type Found = {
  readonly folder: Inode;
  readonly name: string;
  readonly inode: Inode | null;
  readonly entry: Entry | null;
  /** Path without symlinks; "" for the root. */
  readonly real: string;
};

const MAX_PATH_BYTES = 4_095;
const MAX_SYMLINKS = 40;

/**
 * Resolves an absolute path like the kernel. Follows symlinks in the middle; a last one only with
 * `follow`.
 */
export function findPath(nodes: RamNodes, call: string, path: string, follow: boolean): Found {
  if (path.includes("\0")) throw new RamError("ERR_INVALID_ARG_VALUE", call, path);
  if (path.length > MAX_PATH_BYTES / 4 && Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new RamError("ENAMETOOLONG", call, path);
  const { maxNameBytes } = nodes.options;
  const names = path.split("/");
  let symlinks = 0;
  const { root } = nodes;
  const rootFound: Found = { folder: root, name: "", inode: root, entry: null, real: "" };
  let at: Inode = root;
  let found = rootFound;
  let real = "";
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if (name === "" || name === ".") continue;
    if (at.kind !== "folder") throw new RamError("ENOTDIR", call, path);
    if (name === "..") {
      at = at.parent ?? at;
      real = real.slice(0, Math.max(0, real.lastIndexOf("/")));
      found = { folder: at, name: "", inode: at, entry: null, real };
      continue;
    }
    if (name.length > maxNameBytes / 3 && Buffer.byteLength(name) > maxNameBytes)
      throw new RamError("ENAMETOOLONG", call, path);
    const entry: Entry | undefined = at.entries.get(nodes.key(name));
    const last = i === names.length - 1;
    if (entry === undefined) {
      if (last) return { folder: at, name, inode: null, entry: null, real: `${real}/${name}` };
      throw new RamError("ENOENT", call, path);
    }
    if (entry.inode.kind === "symlink" && (follow || !last)) {
      if (++symlinks > MAX_SYMLINKS) throw new RamError("ELOOP", call, path);
      const target = entry.inode.target.split("/");
      names.splice(0, i + 1, ...target);
      i = -1;
      if (target[0] === "") {
        at = root;
        real = "";
        found = rootFound;
      }
      continue;
    }
    // `realpath` of glibc keeps the requested spelling of a name; macOS returns the stored one.
    real = `${real}/${nodes.options.isDarwin ? entry.name : name}`;
    found = { folder: at, name, inode: entry.inode, entry, real };
    at = entry.inode;
  }
  return found;
}

type FoundInode = { readonly inode: Inode; readonly folder: Inode; readonly name: string; readonly real: string };

/** The file calls of the RAM disk without hooks and faults. */
export class RamCalls {
  readonly #nodes: RamNodes;
  readonly #hardLinks: boolean;

  /** @param hardLinks false if `link` fails with EPERM */
  constructor(nodes: RamNodes, hardLinks: boolean) {
    this.#nodes = nodes;
    this.#hardLinks = hardLinks;
  }

  lstat(path: string): FsStat {
    return statOf(this.#mustFind("lstat", path).inode);
  }

  readdir(path: string): { readonly name: string; readonly kind: Inode["kind"] }[] {
    const { inode } = this.#mustFind("scandir", path, true);
    if (inode.kind !== "folder") throw new RamError("ENOTDIR", "scandir", path);
    return Array.from(inode.entries.values(), (entry) => ({ name: entry.name, kind: entry.inode.kind }));
  }

  readFile(path: string): { readonly bytes: Uint8Array; readonly stat: FsStat } {
    const { inode } = this.#mustFind("open", path);
    if (inode.kind === "symlink") throw new RamError("ELOOP", "open", path);
    if (inode.kind === "folder") throw new RamError("EISDIR", "read", path);
    if (inode.kind === "special") throw new RamError("EINVAL", "read", path);
    return { bytes: inode.bytes, stat: statOf(inode) };
  }

  readLink(path: string): string {
    const { inode } = this.#mustFind("readlink", path);
    if (inode.kind !== "symlink") throw new RamError("EINVAL", "readlink", path);
    return inode.target;
  }

  makeFile(path: string, mode: number | null): Inode {
    return this.#makeAt("open", path, "file", mode ?? 0o644);
  }

  mkdir(path: string, mode: number): void {
    this.#makeAt("mkdir", path, "folder", mode & 0o755);
  }

  rename(from: string, to: string): void {
    const nodes = this.#nodes;
    const source = this.#mustFind("rename", from);
    const target = findPath(nodes, "rename", to, false);
    renameChecks(source.inode, target, from);
    const { inode } = source;
    const sameEntry = source.folder === target.folder && nodes.key(source.name) === nodes.key(target.name);
    if (sameEntry) {
      if (target.entry?.name !== target.name) nodes.setNames([{ folder: source.folder, name: target.name, inode }]);
      return;
    }
    // POSIX: a rename between two names of one inode does nothing.
    if (target.inode === inode) return;
    nodes.setNames([
      { folder: source.folder, name: source.name, inode: null },
      { folder: target.folder, name: target.name, inode },
    ]);
    if (target.inode !== null) nodes.release(target.inode);
    inode.ctimeMs = nodes.stampTime();
  }

  link(existing: string, path: string): void {
    const { inode } = this.#mustFind("link", existing);
    const { folder, name, inode: there } = findPath(this.#nodes, "link", path, false);
    if (there !== null) throw new RamError("EEXIST", "link", path);
    if (folder.dev !== inode.dev) throw new RamError("EXDEV", "link", path);
    if (inode.kind === "folder" || !this.#hardLinks) throw new RamError("EPERM", "link", path);
    this.#nodes.setNames([{ folder, name, inode }]);
    inode.ctimeMs = this.#nodes.stampTime();
  }

  unlink(path: string): void {
    const { inode, folder, name } = this.#mustFind("unlink", path);
    if (inode.kind === "folder") throw new RamError(this.#nodes.options.isDarwin ? "EPERM" : "EISDIR", "unlink", path);
    this.#nodes.setNames([{ folder, name, inode: null }]);
    this.#nodes.release(inode);
  }

  rmdir(path: string): void {
    const { inode, folder, name } = this.#mustFind("rmdir", path);
    if (inode.kind !== "folder") throw new RamError("ENOTDIR", "rmdir", path);
    if (inode === this.#nodes.root || inode.dev !== folder.dev) throw new RamError("EBUSY", "rmdir", path);
    if (inode.entries.size > 0) throw new RamError("ENOTEMPTY", "rmdir", path);
    this.#nodes.setNames([{ folder, name, inode: null }]);
    this.#nodes.release(inode);
  }

  realpath(path: string): string {
    const { real } = this.#mustFind("realpath", path, true);
    return real === "" ? "/" : real;
  }

  #mustFind(call: string, path: string, follow = false): FoundInode {
    const { inode, folder, name, real } = findPath(this.#nodes, call, path, follow);
    if (inode === null) throw new RamError("ENOENT", call, path);
    return { inode, folder, name, real };
  }

  #makeAt(call: string, path: string, kind: Inode["kind"], mode: number): Inode {
    const { folder, name, inode } = findPath(this.#nodes, call, path, false);
    if (inode !== null) throw new RamError("EEXIST", call, path);
    const made = this.#nodes.make(kind, folder.dev);
    made.mode = mode;
    this.#nodes.setNames([{ folder, name, inode: made }]);
    return made;
  }
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
