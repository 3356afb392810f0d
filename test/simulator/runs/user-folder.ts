import { isConflictCopyName, nameOf, parentOf } from "../../../src/contract/path.ts";
import type { RamUser } from "../ram-user.ts";
import type { History } from "./history.ts";
import { choose, parentIn } from "./choices.ts";
import type { ProcessProbe } from "../../../src/mirror/local/editor-locks.ts";

/**
 * The folder of one user; paths are relative to it. A save in several steps is finished before the
 * next action.
 */
export type UserFolder = {
  readonly mirror: number;
  readonly root: string;
  readonly user: RamUser;
  half: { readonly path: string; readonly text: string } | null;
  /** True if its user keeps files open in an editor that shows it by a swap file. */
  readonly hands: boolean;
  /** Last removed content by path, which the user may restore. */
  readonly removed: Map<string, string>;
  /** Contents before a power cut of the files that it damaged, by inode. */
  readonly damaged: Map<number, string>;
  /** Last new path of each renamed file, by its former path. Swaps of two files are not in it. */
  readonly renamed: Map<string, string>;
};

/** The acting user, and the seed of all choices of the action. */
export type ActingUser = { readonly userFolder: UserFolder; readonly history: History; readonly seed: number };

/** A folder that is never synced and must never be read or touched (I26). */
export const PRIVATE_FOLDER = "private";
export const LINKED_FOLDER = "linked";
export const CANARY = "canary: nobody but its owner may read this";

export function documentsOf(userFolder: Pick<UserFolder, "user" | "root">): Map<string, string> {
  return new Map([...userFolder.user.texts(userFolder.root)].filter(([path]) => isDocumentPath(path)));
}

export function textsByInode({ user, root }: UserFolder): Map<number, string> {
  return new Map(Array.from(user.texts(root), ([path, text]) => [user.inode(`${root}/${path}`)!, text]));
}

export function isDocumentPath(path: string): boolean {
  const names = path.split("/");
  const name = names.at(-1)!;
  return (
    name.endsWith(".md") &&
    !isConflictCopyName(name) &&
    !/^(?:\.#|\._|\.~)|~$/.test(name) &&
    !names.slice(0, -1).some((folder) => folder.startsWith(".")) &&
    names[0] !== PRIVATE_FOLDER
  );
}

export function foldersOf(userFolder: Pick<UserFolder, "user" | "root">): string[] {
  return userFolder.user
    .folders(userFolder.root)
    .filter((path) => !path.split("/").some((name) => name.startsWith(".") || name === PRIVATE_FOLDER));
}

export function absolutePath(userFolder: UserFolder, path: string): string {
  return `${userFolder.root}/${path}`;
}

export function readFile(userFolder: UserFolder, path: string): string | null {
  return canHaveFile(userFolder, path) ? userFolder.user.read(absolutePath(userFolder, path)) : null;
}

/** Returns the content of the file that was at the path before its user renamed the file. */
export function readRenamedFile(userFolder: UserFolder, path: string): string | null {
  const to = userFolder.renamed.get(path);
  return to === undefined ? null : (readFile(userFolder, to) ?? readRenamedFile(userFolder, to));
}

export function isFile(userFolder: UserFolder, path: string): boolean {
  return userFolder.user.read(absolutePath(userFolder, path)) !== null;
}

/** Returns true if a file can be at the path: each parent path is a folder or free. */
export function canHaveFile(userFolder: UserFolder, path: string): boolean {
  const names = path.split("/").slice(0, -1);
  return names.every((_, index) => {
    const above = absolutePath(userFolder, names.slice(0, index + 1).join("/"));
    return !userFolder.user.exists(above) || userFolder.user.read(above) === null;
  });
}

export function makeParent(userFolder: UserFolder, path: string): void {
  const parent = parentIn(path);
  if (parent !== "") userFolder.user.makeFolder(absolutePath(userFolder, parent));
}

/** Reports every process of the rig's machine as alive. */
export const ALL_ALIVE: ProcessProbe = { host: () => "rig", isAlive: () => true, bootedAt: () => null };

/** Returns the first block of Vim's swap file, for a live process by default. */
export function swapBlock(pid = 4_711, host = "rig", version = "VIM 9.1"): Uint8Array {
  const block = Buffer.alloc(4_096);
  block.write("b0", 0, "latin1");
  block.write(version, 2, "latin1");
  block.writeUInt32LE(pid, 24);
  block.write(host, 68, "utf8");
  return block;
}

/**
 * Opens a file, or closes all files, before an action. Changes no document. The user's editor shows
 * by a swap file, like Vim, that a file is open.
 */
export function openOrClose(userFolder: UserFolder, seed: number): void {
  if (seed % 5 === 0) closeAll(userFolder);
  if (seed % 5 > 2) return;
  const path = choose([...documentsOf(userFolder).keys()], seed + 1);
  if (path === null) return;
  const folder = parentOf(path);
  const name = nameOf(path);
  const swap = `${folder === "" ? "" : `${folder}/`}${name.startsWith(".") ? "" : "."}${name}.swp`;
  userFolder.user.write(absolutePath(userFolder, swap), swapBlock());
}

export function closeAll(userFolder: UserFolder): void {
  for (const path of userFolder.user.texts(userFolder.root).keys())
    if (isSwap(path)) userFolder.user.remove(absolutePath(userFolder, path));
}

export function isSwap(path: string): boolean {
  return path.endsWith(".md.swp");
}
