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
 * What lies in a folder of a mirror, and how each of it stands: by the state and one look at that
 * folder; no network, walk or lock. A folder that is asked for again and again is read again only
 * when something changed; then a part of it costs what that part costs.
 */

/** Some entries of a folder, of `total`. */
export type Listed = { readonly total: number; readonly entries: readonly Omit<Entry, "row">[] };

/** LIMIT: folders that are kept. */
const MOST = 8;

type Kept = {
  readonly seal: string;
  readonly disk: LocalDisk;
  readonly entries: readonly Entry[];
  /** What was read of files whose stamps say nothing, by name. */
  readonly read: Map<string, { readonly stamp: Stamp; readonly digest: Digest | null }>;
};

export class FolderLists {
  readonly #random: Random;
  /** The one that was used last at the end. */
  readonly #kept = new Map<string, Kept>();

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * @param root real path of a folder that holds `.mdmirror/`
   * @param part which entries, counted from 0, of those that lie in the folder
   */
  list(root: string, folder: LocalPath, part: { readonly from: number; readonly count: number }): Result<Listed> {
    const kept = this.#keep(root, folder);
    if (kept.kind === "trouble") return kept;
    const { entries } = kept.value;
    const shown = entries.slice(part.from, part.from + part.count);
    return ok({ total: entries.length, entries: judged(kept.value, folder, shown) });
  }

  /**
   * One name of a folder; null: nothing of this name is known there.
   * @param path not the root's
   */
  find(root: string, path: LocalPath): Result<Listed["entries"][number] | null> {
    const kept = this.#keep(root, parentOf(path));
    if (kept.kind === "trouble") return kept;
    const entry = kept.value.entries.find(({ name }) => name === nameOf(path));
    return ok(entry === undefined ? null : judged(kept.value, parentOf(path), [entry])[0]!);
  }

  /** The text of a file as it is now. @param path not the root's */
  read(root: string, path: LocalPath): Result<DiskOutcome<LocalText>> {
    const kept = this.#keep(root, parentOf(path));
    return kept.kind === "trouble" ? kept : ok(kept.value.disk.read(path));
  }

  #keep(root: string, folder: LocalPath): Result<Kept> {
    const key = JSON.stringify([root, folder]);
    const before = this.#kept.get(key);
    // The folder that was looked at first may be gone, and another one in its place.
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

const NOTHING: FolderRows = { documents: [], folders: [], holds: [], conflicts: [], reviews: [] };

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

/** Looks at the files that are as the last sync left them, unless they were changed since. */
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
    if (isSame || holds(row, digestAt(kept, joinPath(folder, entry.name), stamp))) return entry;
    return { ...entry, state: "waiting", why: "edited locally" };
  });
}

function holds({ localDigest, spelled }: DocumentRow, digest: Digest | null): boolean {
  return digest === localDigest || (digest !== null && spelled.includes(digest));
}

function digestAt({ disk, read }: Kept, path: LocalPath, stamp: Stamp): Digest | null {
  const before = read.get(path);
  if (before !== undefined && sameStamp(before.stamp, stamp)) return before.digest;
  const look = disk.look(path);
  const digest = look.kind === "file" ? look.digest : null;
  // LIMIT: what it was is kept for as many files as a page shows, several times over.
  if (read.size > 2_000) read.clear();
  read.set(path, { stamp, digest });
  return digest;
}
