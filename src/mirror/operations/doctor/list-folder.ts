import { join } from "node:path";
import type { Digest } from "../../../contract/digest.ts";
import type { Stamp } from "../../model/link.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText } from "../../ports/disk.ts";
import type { Random } from "../../../common/random.ts";
import type { LocalDisk } from "../../local/disk.ts";
import { UnfitRules } from "../../local/rules.ts";
import { sameStamp } from "../../local/stamp.ts";
import { type DocumentRow, type FolderRows, readFolderRows, stateSeal } from "../../state/folder-rows.ts";
import { openDisk } from "../../folder/open-disk.ts";
import { stateTrouble } from "../../folder/open-state.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { entriesOf, type Entry } from "./folder-entries.ts";

/**
 * Lists the entries of a folder with their states, from the state file and one scan of that folder:
 * no network, no walk of its subfolders, no lock. A folder is read again only if something changed,
 * and then only the requested part of the folder.
 */

/** Some entries of a folder, out of `total`. */
export type Listed = { readonly total: number; readonly entries: readonly Omit<Entry, "row">[] };

/** LIMIT: folders that are cached. */
const MOST = 8;

type Kept = {
  readonly seal: string;
  readonly disk: LocalDisk;
  readonly entries: readonly Entry[];
  /**
   * Digests of files that had to be read, because their stamps do not prove that they are
   * unchanged. Key: path.
   */
  readonly read: Map<string, { readonly stamp: Stamp; readonly digest: Digest | null }>;
};

export class FolderLists {
  readonly #random: Random;
  /** The most recently used entry is last. */
  readonly #kept = new Map<string, Kept>();

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * @param root real path of a folder that has `.mdmirror/`
   * @param part range of entries, from 0
   */
  list(root: string, folder: LocalPath, part: { readonly from: number; readonly count: number }): Result<Listed> {
    const kept = this.#keep(root, folder);
    if (kept.kind === "trouble") return kept;
    const { entries } = kept.value;
    const shown = entries.slice(part.from, part.from + part.count);
    return ok({ total: entries.length, entries: judged(kept.value, folder, shown) });
  }

  /**
   * Finds one name in a folder; null if nothing has this name.
   * @param path not the root's
   */
  find(root: string, path: LocalPath): Result<Listed["entries"][number] | null> {
    const kept = this.#keep(root, parentOf(path));
    if (kept.kind === "trouble") return kept;
    const entry = kept.value.entries.find(({ name }) => name === nameOf(path));
    return ok(entry === undefined ? null : judged(kept.value, parentOf(path), [entry])[0]!);
  }

  /**
   * Reads the present content of a file.
   * @param path not the root's path
   */
  read(root: string, path: LocalPath): Result<DiskOutcome<LocalText>> {
    const kept = this.#keep(root, parentOf(path));
    return kept.kind === "trouble" ? kept : ok(kept.value.disk.read(path));
  }

  #keep(root: string, folder: LocalPath): Result<Kept> {
    const key = JSON.stringify([root, folder]);
    const before = this.#kept.get(key);
    // Another folder may be at the path of the root since the first scan.
    const isThere = before !== undefined && before.disk.sealOf(folder) !== null;
    const disk = isThere ? before.disk : openDisk(root, { random: this.#random, probe: false });
    const own = join(root, MIRROR_FOLDER);
    const seal = `${stateSeal(own)} ${disk.sealOf(folder)}`;
    if (before?.seal === seal) return ok(before);
    const read = readFolder(disk, own, folder);
    if (read.kind === "trouble") return read;
    const kept = { seal, disk, entries: read.value, read: before?.read ?? new Map() };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST) this.#kept.delete(oldest!);
    return ok(kept);
  }
}

const NOTHING: FolderRows = { documents: [], folders: [], blocks: [], conflicts: [], reviews: [] };

function readFolder(disk: LocalDisk, own: string, folder: LocalPath): Result<readonly Entry[]> {
  const found = readFolderRows(own, folder);
  if (found.kind !== "read" && found.kind !== "missing") return stateTrouble(found);
  const rows = found.kind === "read" ? found.value : NOTHING;
  try {
    const names = disk.namesIn(folder);
    if (names !== null || rows.documents.length + rows.folders.length > 0)
      return ok(entriesOf(folder, rows, names ?? []));
  } catch (error) {
    if (!(error instanceof UnfitRules)) throw error;
    return trouble("usage", `${folder === "" ? "the linked folder" : folder}: ${error.message}`, "correct that line");
  }
  return trouble("usage", `no folder is at ${folder}`, "go back to the folder above", { code: "no-folder" });
}

/**
 * Checks whether files that were in sync have changed since, and returns the entries with their
 * present states. Reads a file only if its stamp does not prove that it is unchanged.
 */
function judged(kept: Kept, folder: LocalPath, shown: readonly Entry[]): Listed["entries"] {
  const stamps = kept.disk.stampsIn(
    folder,
    shown.map(({ name }) => name),
  );
  return shown.map(({ row, ...entry }, at) => {
    const stamp = stamps[at]!;
    if (row === null) return entry;
    if (stamp === null) return { ...entry, state: "waiting", why: "the file does not exist now" };
    const isSame = row.stampTrusted && row.stamp !== null && sameStamp(row.stamp, stamp);
    if (isSame || hasContent(row, digestAt(kept, joinPath(folder, entry.name), stamp))) return entry;
    return { ...entry, state: "waiting", why: "edited locally" };
  });
}

function hasContent({ localDigest, spelled }: DocumentRow, digest: Digest | null): boolean {
  return digest === localDigest || (digest !== null && spelled.includes(digest));
}

function digestAt({ disk, read }: Kept, path: LocalPath, stamp: Stamp): Digest | null {
  const before = read.get(path);
  if (before !== undefined && sameStamp(before.stamp, stamp)) return before.digest;
  const look = disk.look(path);
  const digest = look.kind === "file" ? look.digest : null;
  // LIMIT: digests are kept for several pages of files.
  if (read.size > 2_000) read.clear();
  read.set(path, { stamp, digest });
  return digest;
}
