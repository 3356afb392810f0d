import { constants } from "node:os";
import { getSystemErrorMap } from "node:util";
import type { Entry, Inode, RamNodes } from "./ram-nodes.ts";

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
  return number === undefined || getSystemErrorMap().has(-number) ? name : `Unknown system error -${number}`;
}

/**
 * The target of a path: the folder that contains its last name, and the entry with that name.
 * `inode` is null if there is no entry. The root has no folder.
 */
export type Found = {
  readonly folder: Inode;
  readonly name: string;
  readonly inode: Inode | null;
  readonly entry: Entry | null;
  /** Path without symlinks; only filled if it was requested. */
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
  let at: Inode = nodes.root;
  let found: Found = { folder: at, name: "", inode: at, entry: null, real: "" };
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
        at = nodes.root;
        real = "";
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
