import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Look } from "../../ports/disk.ts";
import type { World } from "../../engine/run/world.ts";
import { findPlace, type KnownPlace } from "./find-document.ts";
import { type HistoryEntry, readHistory } from "./history.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

/**
 * Finds a known document and one of its versions.
 * @param n number of the version in the history; null: the newest
 */
export function findVersion(
  world: Pick<World, "state">,
  name: string,
  n: number | null,
): Result<{
  readonly document: KnownPlace;
  readonly entry: HistoryEntry;
  readonly entries: readonly HistoryEntry[];
}> {
  const { state } = world;
  const document = findPlace(state, state.load(), name);
  const entries = readHistory(state, document);
  if (entries.length === 0)
    return trouble(
      "usage",
      `mdmirror has no record of ${name}`,
      "give the present or an earlier path in the linked folder, or the id doc_…",
    );
  const entry = n === null ? newestOf(entries, () => true) : entries.find((one) => one.n === n);
  if (entry === undefined)
    return trouble(
      "usage",
      `${document.path} has no version ${n}: it has versions 1 to ${entries.length}`,
      `mdmirror history ${name}`,
    );
  return ok({ document, entry, entries });
}

/**
 * Returns the newest version of the document itself, if it has one. A version of another document
 * at its path is only for users who ask for that version.
 */
function newestOf(
  entries: readonly HistoryEntry[],
  wanted: (entry: HistoryEntry) => boolean,
): HistoryEntry | undefined {
  return entries.findLast((one) => one.other === null && wanted(one)) ?? entries.findLast(wanted);
}

export type Choice = {
  readonly document: KnownPlace;
  readonly path: LocalPath;
  readonly entry: HistoryEntry;
  /** True if the content would be restored as a new document. */
  readonly asNew: boolean;
  /** Digest of the present local content; null if there is no file. */
  readonly now: Digest | null;
};

/**
 * Returns the version to restore.
 * @param n number in the history; null: the last version that differs from the present content
 */
export function chooseVersion(
  { state, disk }: Pick<World, "state" | "disk">,
  name: string,
  n: number | null,
): Result<Choice> {
  const found = findVersion({ state }, name, n);
  if (found.kind === "trouble") return found;
  const { document, entries } = found.value;
  const { link, path } = document;
  const look = disk.look(path);
  const now = look.kind === "file" ? look.digest : null;
  const entry =
    n === null && link !== null
      ? (newestOf(entries, ({ digest }) => digest !== now) ?? found.value.entry)
      : found.value.entry;
  const obstacle = obstacleTo(state, document, entry, look, name);
  if (obstacle !== null) return obstacle;
  return ok({ document, path, entry, asNew: link === null, now });
}

/** Returns why a version cannot be restored; null if it can. */
function obstacleTo(
  state: World["state"],
  { link, path, id }: KnownPlace,
  entry: HistoryEntry,
  look: Look,
  name: string,
): Result<never> | null {
  if (entry.size === null)
    return trouble(
      "usage",
      `the content of version ${entry.n} of ${path} is no longer in the history`,
      `mdmirror history ${name} lists the remaining versions`,
    );
  if (link !== null && state.conflict(link.id) !== null)
    return trouble("usage", `${path} is in conflict`, `resolve that first: mdmirror resolve ${path} --mine | --theirs`);
  if (link === null && look.kind !== "absent")
    return trouble(
      "usage",
      `${path} is used by another file`,
      `move that file first, or run: mdmirror show ${id ?? path}@${entry.n} --output FILE`,
    );
  return null;
}

/**
 * Returns the document's own version at that time, or its last version. If there is none, returns
 * the reason as a clause.
 */
export function entryAt(entries: readonly HistoryEntry[], asOf: number | null): HistoryEntry | string {
  const own = entries.filter(({ other }) => other === null);
  const entry = own.findLast(({ at }) => asOf === null || at <= asOf);
  if (entry === undefined) return own.length === 0 ? "its content is not known" : "it did not exist yet";
  return entry.size === null ? `the content of version ${entry.n} is no longer in the history` : entry;
}
