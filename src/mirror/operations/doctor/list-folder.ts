import { sameStamp, type Block } from "../../model/link.ts";
import { join } from "node:path";
import { comparePaths } from "../../model/by-path.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { ancestorsOf, isBelow, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText, Look } from "../../ports/disk.ts";
import type { Random } from "../../../common/random.ts";
import type { LocalDisk } from "../../local/disk.ts";
import { UnfitRules } from "../../local/rules.ts";
import { type DocumentRow, type FolderRows, readFolderRows } from "../../state/folder-rows.ts";
import { openDisk } from "../../folder/open-disk.ts";
import { stateTrouble } from "../../folder/open-state.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import type { FolderName } from "../../local/folder-names.ts";
import { BLOCK_REASONS, isReview } from "../../model/block.ts";
import { STAYS } from "./why.ts";

/**
 * Finds the states of the entries of a folder, from the state file and the names alone. Only the
 * entries that are shown are compared by content.
 */

/**
 * `in-sync`: unchanged since the last sync; `waiting`: the next sync changes something for this
 * entry.
 */
export type EntryState = "in-sync" | "waiting" | "blocked" | "in-review" | "conflict" | "ignored";

type FolderEntry = {
  readonly name: string;
  readonly kind: "document" | "folder" | "other";
  readonly state: EntryState;
  /** Reason for the state, as a clause; null if the state needs no reason. */
  readonly why: string | null;
  /** Number of names below a folder that require action. */
  readonly needs: number;
  /**
   * Record of a file that is in sync unless its content differs; null if the state of the entry is
   * certain without its content.
   */
  readonly row: DocumentRow | null;
};

/** Returns the entries of a folder: folders first, then by the characters of their names. */
function entriesOf(folder: LocalPath, rows: FolderRows, names: readonly FolderName[]): readonly FolderEntry[] {
  const open = openBy(rows);
  const byName = new Map(names.map((one) => [one.name, one]));
  const documents = new Map(rows.documents.map((row) => [nameOf(row.path), row]));
  const folders = new Set(rows.folders.map(nameOf));
  const all = new Set([...byName.keys(), ...documents.keys(), ...folders]);
  const entries = [...all].map((name): FolderEntry => {
    const found = byName.get(name) ?? null;
    const row = documents.get(name) ?? null;
    const path = joinPath(folder, name);
    const isFolder = found === null ? row === null : found.kind === "folder";
    return isFolder
      ? folderEntry(name, path, { found, isLinked: folders.has(name), open })
      : fileEntry(name, path, { found, row, open });
  });
  return entries.toSorted(byKindAndName);
}

function byKindAndName(a: FolderEntry, b: FolderEntry): number {
  const [first, second] = [a, b].map(({ kind }) => (kind === "folder" ? 0 : 1));
  return first! - second! || comparePaths(a.name, b.name);
}

type OpenProblems = {
  readonly blocks: ReadonlyMap<string, Block>;
  readonly conflicts: ReadonlySet<LocalPath>;
  readonly reviews: ReadonlySet<LocalPath>;
  /** Paths that require action. */
  readonly needing: readonly LocalPath[];
};

function openBy({ blocks, conflicts, reviews }: FolderRows): OpenProblems {
  const needing = blocks.filter(({ reason }) => BLOCK_REASONS[reason].open === "needs-you").map(({ path }) => path);
  return {
    blocks: new Map(blocks.flatMap((block) => [[block.path, block] as const, [block.key, block] as const])),
    conflicts: new Set(conflicts),
    reviews: new Set(reviews),
    needing: [...new Set([...needing, ...conflicts])],
  };
}

function folderEntry(
  name: string,
  path: LocalPath,
  {
    found,
    isLinked,
    open,
  }: { readonly found: FolderName | null; readonly isLinked: boolean; readonly open: OpenProblems },
): FolderEntry {
  const common = { name, kind: "folder" as const, row: null };
  const needs = open.needing.filter((one) => isBelow(one, path)).length;
  const stays = found?.stays ?? null;
  if (stays !== null) return { ...common, needs, state: "ignored", why: STAYS[stays] };
  const block = open.blocks.get(path);
  if (block !== undefined) return { ...common, needs, ...blockedAs(block) };
  if (found === null) return { ...common, needs, state: "waiting", why: "the local file is gone" };
  if (!isLinked) return { ...common, needs, state: "waiting", why: "created locally" };
  return { ...common, needs, state: "in-sync", why: null };
}

function fileEntry(
  name: string,
  path: LocalPath,
  {
    found,
    row,
    open,
  }: { readonly found: FolderName | null; readonly row: DocumentRow | null; readonly open: OpenProblems },
): FolderEntry {
  const common = { name, kind: "document" as const, needs: 0, row: null };
  const stays = found?.stays ?? null;
  if (row === null && stays !== null) return { ...common, kind: "other", state: "ignored", why: STAYS[stays] };
  if (open.conflicts.has(path)) return { ...common, state: "conflict", why: "both sides changed the same lines" };
  const block = open.blocks.get(row?.id ?? path) ?? open.blocks.get(path);
  if (block !== undefined) return { ...common, ...blockedAs(block) };
  if (open.reviews.has(path)) return { ...common, state: "in-review", why: "in review: a reviewer decides" };
  if (row === null) return { ...common, state: "waiting", why: "created locally" };
  if (row.state === "suspended") return { ...common, state: "ignored", why: "excluded by the ignore rules" };
  if (found === null) return { ...common, state: "waiting", why: "the local file is gone" };
  return { ...common, state: "in-sync", why: null, row };
}

function blockedAs({ reason, detail }: Block): Pick<FolderEntry, "state" | "why"> {
  const why = `${reason}: ${detail}`;
  if (reason === "conflict") return { state: "conflict", why };
  if (reason === "suspended") return { state: "ignored", why: detail };
  if (isReview(reason)) return { state: "in-review", why };
  return { state: BLOCK_REASONS[reason].open === "waits" ? "waiting" : "blocked", why };
}

/**
 * Lists the entries of a folder with their states, from the state file and one scan of that folder:
 * no network, no walk of its subfolders, no lock.
 */

type ShownEntry = Omit<FolderEntry, "row"> & {
  /**
   * Size in bytes, and time of the last change in milliseconds since the epoch; null if there is no
   * such file.
   */
  readonly file: { readonly size: number; readonly changedAt: number } | null;
};

/** Some entries of a folder, out of `total`. */
export type EntryList = { readonly total: number; readonly entries: readonly ShownEntry[] };

type EntryRange = {
  readonly from: number;
  readonly count: number;
  /** Text that the names have, in any case; left out: all names. */
  readonly filter?: string;
};

/**
 * @param root real path of a folder that has `.mdmirror/`
 * @param part range of entries, from 0
 */
export function listFolder(root: string, folder: LocalPath, part: EntryRange, random: Random): Result<EntryList> {
  const { from, count, filter = "" } = part;
  const opened = openFolder(root, folder, random);
  if (opened.kind === "trouble") return opened;
  const { disk } = opened.value;
  const wanted = filter.toLowerCase();
  const entries = opened.value.entries.filter(({ name }) => name.toLowerCase().includes(wanted));
  return ok({ total: entries.length, entries: judged(disk, folder, entries.slice(from, from + count)) });
}

/**
 * Returns the linked folders around a folder, in the order of a tree: those above it, each with the
 * folders beside it, and those directly below it.
 */
export function listTree(root: string, folder: LocalPath): readonly LocalPath[] {
  const open = new Set(["", ...ancestorsOf(folder), folder]);
  const below = (above: LocalPath): readonly LocalPath[] => {
    const found = readFolderRows(join(root, MIRROR_FOLDER), above);
    const folders = found.kind === "read" ? found.value.folders.toSorted(comparePaths) : [];
    return folders.flatMap((one) => [one, ...(open.has(one) ? below(one) : [])]);
  };
  return below("");
}

/**
 * Finds one entry in a folder; null if no entry has this name.
 * @param path path of the entry, not of the root
 */
export function findEntry(root: string, path: LocalPath, random: Random): Result<ShownEntry | null> {
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

type OpenedFolder = { readonly disk: LocalDisk; readonly entries: readonly FolderEntry[] };

function openFolder(root: string, folder: LocalPath, random: Random): Result<OpenedFolder> {
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
function judged(disk: LocalDisk, folder: LocalPath, shown: readonly FolderEntry[]): readonly ShownEntry[] {
  const stamps = disk.stampsIn(
    folder,
    shown.map(({ name }) => name),
  );
  return shown.map(({ row, ...entry }, at) => {
    const stamp = stamps[at]!;
    const file = stamp === null || entry.kind === "folder" ? null : { size: stamp.size, changedAt: stamp.mtimeMs };
    if (row === null) return { ...entry, file };
    if (stamp === null) return { ...entry, file, state: "waiting", why: "the file does not exist now" };
    const isSame = row.stampTrusted && row.stamp !== null && sameStamp(row.stamp, stamp);
    if (isSame || hasContent(row, disk.look(joinPath(folder, entry.name)))) return { ...entry, file };
    return { ...entry, file, state: "waiting", why: "edited locally" };
  });
}

function hasContent({ localDigest, spelled }: DocumentRow, look: Look): boolean {
  return look.kind === "file" && (look.digest === localDigest || spelled.includes(look.digest));
}
