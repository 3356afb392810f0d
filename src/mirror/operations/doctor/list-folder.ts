/**
 * Lists the documents and folders in a folder with their states, for the web page and for agents.
 * Uses the state file and the names on disk. Reads the content only of a document that is shown.
 */

import { isSameStamp, type Block } from "../../model/record.ts";
import { join } from "node:path";
import { comparePaths } from "../../model/by-path.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { ancestorsOf, isBelow, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText, PathState } from "../../ports/disk.ts";
import type { Random } from "../../../common/random.ts";
import type { LocalDisk } from "../../local/disk.ts";
import { RulesError } from "../../local/ignore.ts";
import {
  type ReadDepth,
  type DocumentRow,
  type FolderRows,
  readFolderRows,
  type SubfolderTotals,
} from "../../state/read-beside.ts";
import { makeStateTrouble, openDisk } from "../../folder/open-local.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import type { FolderName } from "../../local/folder-names.ts";
import { BLOCK_REASONS, isReviewReason, needsUser } from "../../model/block.ts";
import { UNSYNCED_WORDS } from "./why.ts";

/** `in-sync`: unchanged since the last sync. `waiting`: the next sync makes a change. */
export type EntryState = "in-sync" | "waiting" | "blocked" | "in-review" | "conflict" | "ignored";

type FolderEntry = {
  readonly path: LocalPath;
  readonly kind: "document" | "folder" | "other";
  readonly state: EntryState;
  /** Reason for the state, as a clause; null for a state that needs none. */
  readonly why: string | null;
  /** Number of files in the folder and its subfolders that require an action of the user. */
  readonly needs: number;
  readonly reviews: number;
  /** Totals of the documents below a folder at the last sync; null for a file or in a search. */
  readonly sum: Pick<SubfolderTotals, "documents" | "changedAt"> | null;
  /**
   * Record of a file whose state depends on its content, which was not read yet; null for a known
   * state.
   */
  readonly row: DocumentRow | null;
};

const NO_DOCUMENTS = { documents: 0, changedAt: null } as const;

function mergeEntries(
  folder: LocalPath,
  rows: Pick<FolderRows, "documents" | "folders">,
  open: FolderProblems,
  sums: ReadonlyMap<string, SubfolderTotals> | null,
  names: readonly FolderName[],
): readonly FolderEntry[] {
  const byName = new Map(names.map((one) => [one.name, one]));
  const documents = new Map(rows.documents.map((row) => [nameOf(row.path), row]));
  const folders = new Set(rows.folders.map(nameOf));
  const allNames = new Set([...byName.keys(), ...documents.keys(), ...folders]);
  return [...allNames].flatMap((name): readonly FolderEntry[] => {
    const diskName = byName.get(name) ?? null;
    // A conflict copy is not listed, because the page of the document in conflict shows the copy.
    if (diskName?.whyUnsynced === "conflict-copy") return [];
    const row = documents.get(name) ?? null;
    const path = joinPath(folder, name);
    const isFolder = diskName === null ? row === null : diskName.kind === "folder";
    return [
      isFolder
        ? describeFolder(path, diskName, folders.has(name), open, sums && (sums.get(name) ?? NO_DOCUMENTS))
        : describeFile(path, diskName, row, open),
    ];
  });
}

function compareEntries(a: FolderEntry, b: FolderEntry): number {
  const [firstRank, secondRank] = [a, b].map(({ kind }) => (kind === "folder" ? 0 : 1));
  return firstRank! - secondRank! || comparePaths(a.path, b.path);
}

type FolderProblems = {
  readonly blocks: ReadonlyMap<string, Block>;
  readonly conflicts: ReadonlySet<LocalPath>;
  readonly reviews: ReadonlySet<LocalPath>;
  readonly requiringAction: readonly LocalPath[];
};

function indexProblems({ blocks, conflicts, reviews }: FolderRows): FolderProblems {
  const pathsToFix = blocks.filter(({ reason }) => needsUser(reason)).map(({ path }) => path);
  return {
    blocks: new Map(blocks.flatMap((block) => [[block.path, block] as const, [block.key, block] as const])),
    conflicts: new Set(conflicts),
    reviews: new Set(reviews),
    requiringAction: [...new Set([...pathsToFix, ...conflicts])],
  };
}

function describeFolder(
  path: LocalPath,
  found: FolderName | null,
  isLinked: boolean,
  open: FolderProblems,
  sum: FolderEntry["sum"],
): FolderEntry {
  const reviews = [...open.reviews].filter((one) => isBelow(one, path)).length;
  const actionCount = open.requiringAction.filter((one) => isBelow(one, path)).length;
  const commonFields = { path, kind: "folder" as const, row: null, reviews, needs: actionCount, sum };
  const unsyncedReason = found?.whyUnsynced ?? null;
  if (unsyncedReason !== null) return { ...commonFields, state: "ignored", why: UNSYNCED_WORDS[unsyncedReason] };
  const block = open.blocks.get(path);
  if (block !== undefined) return { ...commonFields, ...describeBlock(block) };
  if (found === null) return { ...commonFields, state: "waiting", why: "the local folder is gone" };
  if (!isLinked) return { ...commonFields, state: "waiting", why: "created locally" };
  return { ...commonFields, state: "in-sync", why: null };
}

function describeFile(
  path: LocalPath,
  found: FolderName | null,
  row: DocumentRow | null,
  open: FolderProblems,
): FolderEntry {
  const commonFields = { path, kind: "document" as const, needs: 0, reviews: 0, sum: null, row: null };
  const unsyncedReason = found?.whyUnsynced ?? null;
  if (row === null && unsyncedReason !== null)
    return { ...commonFields, kind: "other", state: "ignored", why: UNSYNCED_WORDS[unsyncedReason] };
  if (open.conflicts.has(path)) return { ...commonFields, state: "conflict", why: "both sides changed the same lines" };
  const block = open.blocks.get(row?.id ?? path) ?? open.blocks.get(path);
  if (block !== undefined) return { ...commonFields, ...describeBlock(block) };
  if (open.reviews.has(path)) return { ...commonFields, state: "in-review", why: REVIEWER_DECIDES };
  if (row === null) return { ...commonFields, state: "waiting", why: "created locally" };
  if (row.state === "suspended") return { ...commonFields, state: "ignored", why: "excluded by the ignore rules" };
  if (found === null) return { ...commonFields, state: "waiting", why: "the local file is gone" };
  return { ...commonFields, state: "in-sync", why: null, row };
}

const REVIEWER_DECIDES = "a reviewer decides";

function describeBlock({ reason, detail }: Block): Pick<FolderEntry, "state" | "why"> {
  if (reason === "conflict") return { state: "conflict", why: detail };
  if (reason === "suspended") return { state: "ignored", why: detail };
  if (isReviewReason(reason)) return { state: "in-review", why: REVIEWER_DECIDES };
  return { state: BLOCK_REASONS[reason].work === "pending" ? "waiting" : "blocked", why: detail };
}

type ShownEntry = Omit<FolderEntry, "row"> & {
  /** Size in bytes, and last change in milliseconds since the epoch; null without a file. */
  readonly file: { readonly size: number; readonly changedAt: number } | null;
};

/** A range of a folder's entries. `total` and `counts` are about all entries of the folder. */
export type EntryList = {
  readonly total: number;
  readonly counts: Readonly<Record<FolderEntry["kind"], number>>;
  readonly entries: readonly ShownEntry[];
};

/**
 * Range of entries. `from`: index of the first entry, from 0. If there are not so many entries, the
 * last range is listed. If `name` is not "", only entries whose names contain `name` count.
 */
type EntryRange = { readonly from: number; readonly count: number; readonly name?: string };

/**
 * Lists the entries directly in a folder: folders first, then files, by name. If `name` is set,
 * lists all entries at any depth whose names contain `name` in any case. Does not list entries of
 * folders that are not synced.
 * @param root real path of a folder that has `.mdmirror/`
 */
export function listFolder(root: string, folder: LocalPath, range: EntryRange, random: Random): Result<EntryList> {
  const { count, name = "" } = range;
  const openedFolder = openFolder(root, folder, name === "" ? "directly" : "below", random);
  if (openedFolder.kind === "trouble") return openedFolder;
  const wantedText = name.toLowerCase();
  const matchingEntries = openedFolder.value.entries.filter(({ path }) =>
    nameOf(path).toLowerCase().includes(wantedText),
  );
  const lastStart = Math.floor(Math.max(0, matchingEntries.length - 1) / count) * count;
  const from = Math.min(range.from, lastStart);
  const shownEntries = matchingEntries.toSorted(compareEntries).slice(from, from + count);
  const counts = { folder: 0, document: 0, other: 0 };
  for (const { kind } of matchingEntries) counts[kind]++;
  const entries = shownEntries.map((entry) => updateState(openedFolder.value.disk, entry));
  return ok({ total: matchingEntries.length, counts, entries });
}

/**
 * Returns the folders of a tree in which one folder is open: the folders above the open folder, the
 * siblings of these folders, and the folders directly in the open folder. Each folder comes before
 * its subfolders.
 */
export function listTree(root: string, folder: LocalPath): readonly LocalPath[] {
  const openFolders = new Set(["", ...ancestorsOf(folder), folder]);
  const listBelow = (above: LocalPath): readonly LocalPath[] => {
    const folderRows = readFolderRows(join(root, MIRROR_FOLDER), above, "directly");
    const folders = folderRows.kind === "read" ? folderRows.value.folders.toSorted(comparePaths) : [];
    return folders.flatMap((one) => [one, ...(openFolders.has(one) ? listBelow(one) : [])]);
  };
  return listBelow("");
}

/** @param path path of the entry, never the root */
export function findEntry(root: string, path: LocalPath, random: Random): Result<ShownEntry | null> {
  const openedFolder = openFolder(root, parentOf(path), "directly", random);
  if (openedFolder.kind === "trouble") return openedFolder;
  const matchingEntry = openedFolder.value.entries.find((entry) => entry.path === path);
  return ok(matchingEntry === undefined ? null : updateState(openedFolder.value.disk, matchingEntry));
}

export function readEntry(root: string, path: LocalPath, random: Random): Result<DiskOutcome<LocalText>> {
  const openedFolder = openFolder(root, parentOf(path), "directly", random);
  return openedFolder.kind === "trouble" ? openedFolder : ok(openedFolder.value.disk.read(path));
}

const NO_ROWS: FolderRows = { documents: [], folders: [], sums: [], blocks: [], conflicts: [], reviews: [] };

type OpenedFolder = { readonly disk: LocalDisk; readonly entries: readonly FolderEntry[] };

function openFolder(root: string, folder: LocalPath, depth: ReadDepth, random: Random): Result<OpenedFolder> {
  const disk = openDisk(root, { random, probes: false });
  const folderRows = readFolderRows(join(root, MIRROR_FOLDER), folder, depth);
  if (folderRows.kind !== "read" && folderRows.kind !== "missing") return makeStateTrouble(folderRows);
  const rows = folderRows.kind === "read" ? folderRows.value : NO_ROWS;
  try {
    if (disk.namesIn(folder) !== null || rows.documents.length + rows.folders.length > 0)
      return ok({ disk, entries: listEntries(disk, folder, rows, depth) });
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return refusal(`${folder === "" ? "the linked folder" : folder}: ${error.message}`, "correct that ignore file");
  }
  return refusal(`no folder is at ${folder}`, "go back to the folder above", "no-folder");
}

function listEntries(disk: LocalDisk, folder: LocalPath, rows: FolderRows, depth: ReadDepth): readonly FolderEntry[] {
  const openProblems = indexProblems(rows);
  const sumsByName = depth === "directly" ? new Map(rows.sums.map((sum) => [sum.name, sum])) : null;
  const documents = Map.groupBy(rows.documents, ({ path }) => parentOf(path));
  const folders = Map.groupBy(rows.folders, parentOf);
  const listBelow = (above: LocalPath): readonly FolderEntry[] => {
    const ownRows = { documents: documents.get(above) ?? [], folders: folders.get(above) ?? [] };
    const entries = mergeEntries(above, ownRows, openProblems, sumsByName, disk.namesIn(above) ?? []);
    if (depth === "directly") return entries;
    return entries.flatMap((entry) =>
      entry.kind === "folder" && entry.state !== "ignored" ? [entry, ...listBelow(entry.path)] : [entry],
    );
  };
  return listBelow(folder);
}

/**
 * Returns an entry with its current state, because the file may have been edited since the last
 * sync. Does not read the file if the stamp shows that the file is unchanged.
 */
function updateState(disk: LocalDisk, { row, ...entry }: FolderEntry): ShownEntry {
  const { path, kind } = entry;
  const stamp = disk.stampAt(path);
  const file = stamp === null || kind === "folder" ? null : { size: stamp.size, changedAt: stamp.mtimeMs };
  if (row === null) return { ...entry, file };
  if (stamp === null) return { ...entry, file, state: "waiting", why: "the file does not exist now" };
  const isSame = row.stampTrusted && row.stamp !== null && isSameStamp(row.stamp, stamp);
  if (isSame || hasContent(row, disk.look(path))) return { ...entry, file };
  return { ...entry, file, state: "waiting", why: "edited locally" };
}

function hasContent({ localDigest, spelled }: DocumentRow, atPath: PathState): boolean {
  return atPath.kind === "file" && (atPath.digest === localDigest || spelled.includes(atPath.digest));
}
