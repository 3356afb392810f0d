import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "../ports/disk.ts";
import type { State } from "../ports/state.ts";
import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { makeReadingDisk } from "../engine/links/translating.ts";
import { openToRead } from "./open-state.ts";
import { DEFAULT_CONFIG, readConfig } from "../settings/config.ts";
import { readPrefix, listLinkedFolders } from "../settings/settings.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { LocalDisk } from "../local/disk.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { readRecordedPaths } from "../state/read-beside.ts";

/** A linked folder without its service. Needs no key, network or lock, and writes nothing (I23). */
export type LocalMirror = { readonly root: string; readonly state: State; readonly disk: Disk; close(): void };

type ClockAndRandom = { readonly clock: Clock; readonly random: Random };

/** @param dir a folder that has `.mdmirror/` */
function openLocal(dir: string, system: ClockAndRandom): Result<LocalMirror> {
  const root = existsSync(dir) ? realpathSync(dir) : dir;
  const stateResult = openToRead(join(root, MIRROR_FOLDER), system.clock);
  if (stateResult.kind === "trouble") return stateResult;
  const { state } = stateResult.value;
  const plainDisk = openDisk(root, { random: system.random, probes: false });
  const disk = withLocalLinks(root, state, plainDisk);
  return ok({ root, state, disk, close: () => state.close() });
}

function withLocalLinks(root: string, state: State, disk: Disk): Disk {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind !== "ok" || config.value.links.mode === "keep") return disk;
  return makeReadingDisk({ state, disk, prefix: readPrefix(config.value.remote) }, config.value.links.wiki);
}

/** Closes the folder even if `work` throws. */
export function withLocal<T>(dir: string, system: ClockAndRandom, work: (mirror: LocalMirror) => Result<T>): Result<T> {
  const openResult = openLocal(dir, system);
  if (openResult.kind === "trouble") return openResult;
  try {
    return work(openResult.value);
  } finally {
    openResult.value.close();
  }
}

type DiskOptions = Omit<ConstructorParameters<typeof LocalDisk>[2], "gitignore" | "folders">;

/**
 * Uses the ignore rules of the folder's configuration.
 * @param root real path of a folder that has `.mdmirror/`
 */
export function openDisk(root: string, options: DiskOptions): LocalDisk {
  const ownFolder = join(root, MIRROR_FOLDER);
  const config = readConfig(ownFolder);
  const { gitignore: follows, remote } = config.kind === "ok" ? config.value : DEFAULT_CONFIG;
  const gitignore = follows ? () => readRecordedPaths(ownFolder) : null;
  return new LocalDisk(createNodeFs(), root, { ...options, gitignore, folders: listLinkedFolders(remote) });
}
