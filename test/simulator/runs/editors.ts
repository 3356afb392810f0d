import { nameOf, parentOf } from "../../../src/contract/path.ts";
import type { ProcessProbe } from "../../../src/mirror/local/editor-locks.ts";
import { absolutePath, type UserFolder, documentsOf } from "./user-folder.ts";
import { choose } from "./choose.ts";

/** Users whose editor shows by a swap file, like Vim, that a file is open. */

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

/** Opens a file, or closes all files, before an action. Changes no document. */
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
