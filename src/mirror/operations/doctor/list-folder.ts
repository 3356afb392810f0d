import { sameStamp } from "../../model/link.ts";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText, Look } from "../../ports/disk.ts";
import type { Random } from "../../../common/random.ts";
import type { LocalDisk } from "../../local/disk.ts";
import { UnfitRules } from "../../local/rules.ts";
import { type DocumentRow, type FolderRows, readFolderRows } from "../../state/folder-rows.ts";
import { openDisk } from "../../folder/open-disk.ts";
import { stateTrouble } from "../../folder/open-state.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { entriesOf, type Entry } from "./folder-entries.ts";

/**
 * Lists the entries of a folder with their states, from the state file and one scan of that folder:
 * no network, no walk of its subfolders, no lock.
 */

type Shown = Omit<Entry, "row">;

/** Some entries of a folder, out of `total`. */
export type Listed = { readonly total: number; readonly entries: readonly Shown[] };

type Part = { readonly from: number; readonly count: number };

/**
 * @param root real path of a folder that has `.mdmirror/`
 * @param part range of entries, from 0
 */
export function listFolder(root: string, folder: LocalPath, { from, count }: Part, random: Random): Result<Listed> {
  const opened = openFolder(root, folder, random);
  if (opened.kind === "trouble") return opened;
  const { disk, entries } = opened.value;
  return ok({ total: entries.length, entries: judged(disk, folder, entries.slice(from, from + count)) });
}

/**
 * Finds one entry in a folder; null if no entry has this name.
 * @param path path of the entry, not of the root
 */
export function findEntry(root: string, path: LocalPath, random: Random): Result<Shown | null> {
  const opened = openFolder(root, parentOf(path), random);
  if (opened.kind === "trouble") return opened;
  const found = opened.value.entries.filter(({ name }) => name === nameOf(path));
  return ok(judged(opened.value.disk, parentOf(path), found)[0] ?? null);
}

/**
 * Reads the current content of a file.
 * @param path path of the file, not of the root
 */
export function readEntry(root: string, path: LocalPath, random: Random): Result<DiskOutcome<LocalText>> {
  const opened = openFolder(root, parentOf(path), random);
  return opened.kind === "trouble" ? opened : ok(opened.value.disk.read(path));
}

const NOTHING: FolderRows = { documents: [], folders: [], blocks: [], conflicts: [], reviews: [] };

type Opened = { readonly disk: LocalDisk; readonly entries: readonly Entry[] };

function openFolder(root: string, folder: LocalPath, random: Random): Result<Opened> {
  const disk = openDisk(root, { random, probe: false });
  const found = readFolderRows(join(root, MIRROR_FOLDER), folder);
  if (found.kind !== "read" && found.kind !== "missing") return stateTrouble(found);
  const rows = found.kind === "read" ? found.value : NOTHING;
  try {
    const names = disk.namesIn(folder);
    if (names !== null || rows.documents.length + rows.folders.length > 0)
      return ok({ disk, entries: entriesOf(folder, rows, names ?? []) });
  } catch (error) {
    if (!(error instanceof UnfitRules)) throw error;
    return trouble("usage", `${folder === "" ? "the linked folder" : folder}: ${error.message}`, "correct that line");
  }
  return trouble("usage", `no folder is at ${folder}`, "go back to the folder above", { code: "no-folder" });
}

/**
 * Returns the entries with their current states: checks if files that were in sync have changed
 * since. Reads a file only if its stamp does not prove that it is unchanged.
 */
function judged(disk: LocalDisk, folder: LocalPath, shown: readonly Entry[]): readonly Shown[] {
  const stamps = disk.stampsIn(
    folder,
    shown.map(({ name }) => name),
  );
  return shown.map(({ row, ...entry }, at) => {
    const stamp = stamps[at]!;
    if (row === null) return entry;
    if (stamp === null) return { ...entry, state: "waiting", why: "the file does not exist now" };
    const isSame = row.stampTrusted && row.stamp !== null && sameStamp(row.stamp, stamp);
    if (isSame || hasContent(row, disk.look(joinPath(folder, entry.name)))) return entry;
    return { ...entry, state: "waiting", why: "edited locally" };
  });
}

function hasContent({ localDigest, spelled }: DocumentRow, look: Look): boolean {
  return look.kind === "file" && (look.digest === localDigest || spelled.includes(look.digest));
}
