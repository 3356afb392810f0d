import { join } from "node:path";
import { LocalDisk } from "../local/disk.ts";
import type { LinkedSource } from "../local/linked-paths.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { State } from "../ports/state.ts";
import { readLinkedPaths } from "../state/linked-paths.ts";
import { type Config, readConfig } from "../settings/config.ts";

type DiskOptions = Omit<ConstructorParameters<typeof LocalDisk>[2], "gitignore">;

/**
 * The disk of a mirrored folder, with the rules that its configuration asks for, where no state is
 * open.
 * @param root real path of a folder that holds `.mdmirror/`
 */
export function openDisk(root: string, options: DiskOptions): LocalDisk {
  const own = join(root, MIRROR_FOLDER);
  const config = readConfig(own);
  const follows = config.kind === "ok" && config.value.gitignore;
  return new LocalDisk(createNodeFs(), root, { ...options, gitignore: follows ? () => readLinkedPaths(own) : null });
}

/** What no `.gitignore` leaves out; null: the mirror does not follow them. */
export function followed(
  { gitignore }: Pick<Config, "gitignore">,
  state: Pick<State, "localPaths">,
): LinkedSource | null {
  if (!gitignore) return null;
  return () => state.localPaths();
}
