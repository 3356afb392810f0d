import type { FolderName } from "../../local/folder-names.ts";
import { comparePaths } from "../../model/by-path.ts";
import { BLOCK_REASONS, isReview } from "../../model/block.ts";
import type { Block } from "../../model/link.ts";
import { isBelow, joinPath, type LocalPath, nameOf } from "../../../contract/path.ts";
import type { DocumentRow, FolderRows } from "../../state/folder-rows.ts";
import { STAYS } from "./why-plan.ts";

/**
 * Finds the states of the entries of a folder, from the state file and the names alone. Only the
 * entries that are shown are compared by content.
 */

/**
 * `in-sync`: unchanged since the last sync; `waiting`: the next sync changes something for this
 * entry.
 */
export type EntryState = "in-sync" | "waiting" | "blocked" | "in-review" | "conflict" | "ignored";

export type Entry = {
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
export function entriesOf(folder: LocalPath, rows: FolderRows, names: readonly FolderName[]): readonly Entry[] {
  const open = openBy(rows);
  const here = new Map(names.map((one) => [one.name, one]));
  const documents = new Map(rows.documents.map((row) => [nameOf(row.path), row]));
  const folders = new Set(rows.folders.map(nameOf));
  const all = new Set([...here.keys(), ...documents.keys(), ...folders]);
  const entries = [...all].map((name): Entry => {
    const found = here.get(name) ?? null;
    const row = documents.get(name) ?? null;
    const path = joinPath(folder, name);
    const isFolder = found === null ? row === null : found.kind === "folder";
    return isFolder
      ? folderEntry(name, path, { found, isLinked: folders.has(name), open })
      : fileEntry(name, path, { found, row, open });
  });
  return entries.toSorted(byKindAndName);
}

function byKindAndName(a: Entry, b: Entry): number {
  const [first, second] = [a, b].map(({ kind }) => (kind === "folder" ? 0 : 1));
  return first! - second! || comparePaths(a.name, b.name);
}

type Open = {
  readonly blocks: ReadonlyMap<string, Block>;
  readonly conflicts: ReadonlySet<LocalPath>;
  readonly reviews: ReadonlySet<LocalPath>;
  /** Paths that require action. */
  readonly needing: readonly LocalPath[];
};

function openBy({ blocks, conflicts, reviews }: FolderRows): Open {
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
  { found, isLinked, open }: { readonly found: FolderName | null; readonly isLinked: boolean; readonly open: Open },
): Entry {
  const common = { name, kind: "folder" as const, row: null };
  const needs = open.needing.filter((one) => isBelow(one, path)).length;
  const stays = found?.stays ?? null;
  if (stays !== null) return { ...common, needs, state: "ignored", why: STAYS[stays] };
  const block = open.blocks.get(path);
  if (block !== undefined) return { ...common, needs, ...heldAs(block) };
  if (found === null) return { ...common, needs, state: "waiting", why: "the local file is gone" };
  if (!isLinked) return { ...common, needs, state: "waiting", why: "created locally" };
  return { ...common, needs, state: "in-sync", why: null };
}

function fileEntry(
  name: string,
  path: LocalPath,
  { found, row, open }: { readonly found: FolderName | null; readonly row: DocumentRow | null; readonly open: Open },
): Entry {
  const common = { name, kind: "document" as const, needs: 0, row: null };
  const stays = found?.stays ?? null;
  if (row === null && stays !== null) return { ...common, kind: "other", state: "ignored", why: STAYS[stays] };
  if (open.conflicts.has(path)) return { ...common, state: "conflict", why: "both sides changed the same lines" };
  const block = open.blocks.get(row?.id ?? path) ?? open.blocks.get(path);
  if (block !== undefined) return { ...common, ...heldAs(block) };
  if (open.reviews.has(path)) return { ...common, state: "in-review", why: "in review: a reviewer decides" };
  if (row === null) return { ...common, state: "waiting", why: "created locally" };
  if (row.state === "suspended") return { ...common, state: "ignored", why: "excluded by the ignore rules" };
  if (found === null) return { ...common, state: "waiting", why: "the local file is gone" };
  return { ...common, state: "in-sync", why: null, row };
}

function heldAs({ reason, detail }: Block): Pick<Entry, "state" | "why"> {
  const why = `${reason}: ${detail}`;
  if (reason === "conflict") return { state: "conflict", why };
  if (reason === "suspended") return { state: "ignored", why: detail };
  if (isReview(reason)) return { state: "in-review", why };
  return { state: BLOCK_REASONS[reason].open === "waits" ? "waiting" : "blocked", why };
}
