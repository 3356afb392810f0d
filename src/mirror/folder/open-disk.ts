import { join } from "node:path";
import { LocalDisk } from "../local/disk.ts";
import type { LinkedSource } from "../local/ignore.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { State } from "../ports/state.ts";
import { readLinkedPaths } from "../state/read-beside.ts";
import { type Config, DEFAULT_CONFIG, readConfig } from "../settings/config.ts";
import { foldersOf } from "../settings/settings.ts";

type DiskOptions = Omit<ConstructorParameters<typeof LocalDisk>[2], "gitignore" | "folders">;

/**
 * Opens the disk of a linked folder, with the rules of its configuration, without a state.
 * @param root real path of a folder that has `.mdmirror/`
 */
export function openDisk(root: string, options: DiskOptions): LocalDisk {
  const own = join(root, MIRROR_FOLDER);
  const config = readConfig(own);
  const { gitignore: follows, remote } = config.kind === "ok" ? config.value : DEFAULT_CONFIG;
  const gitignore = follows ? () => readLinkedPaths(own) : null;
  return new LocalDisk(createNodeFs(), root, { ...options, gitignore, folders: foldersOf(remote) });
}

/**
 * Returns the paths that no `.gitignore` excludes; null if mdmirror does not follow these files.
 */
export function followed(
  { gitignore }: Pick<Config, "gitignore">,
  state: Pick<State, "localPaths">,
): LinkedSource | null {
  if (!gitignore) return null;
  return () => state.localPaths();
}
