import type { PathState } from "../../ports/disk.ts";
import type { World } from "../../engine/run/world.ts";
import { shellWord } from "../../model/shell-word.ts";
import { asOnDisk } from "./as-on-disk.ts";
import { findPlace, type KnownPlace } from "./find-document.ts";
import { type HistoryEntry, readHistory } from "./history.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

type FoundVersion = {
  readonly document: KnownPlace;
  readonly entry: HistoryEntry;
  readonly entries: readonly HistoryEntry[];
};

/**
 * Finds a known document and one of its versions.
 * @param n number of the version in the history; null: the newest
 */
export function findVersion(world: Pick<World, "state">, name: string, n: number | null): Result<FoundVersion> {
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

/** Finds a version and its content, in the form of a local file. */
export function findContent(
  local: Pick<World, "state" | "disk">,
  name: string,
  n: number | null,
): Result<FoundVersion & { readonly text: string }> {
  const found = findVersion(local, name, n);
  if (found.kind === "trouble") return found;
  const { document, entry } = found.value;
  const text = asOnDisk(local, document.path).text(entry.digest);
  if (text !== null) return ok({ ...found.value, text });
  const next = `mdmirror history ${shellWord(name)} lists the other versions`;
  return trouble("usage", `${document.path}: ${goneContent(entry)}`, next);
}

/**
 * Returns the newest version of the document itself, if it has one. A version of another document
 * at its path is only for users who ask for that version.
 */
export function newestOf(
  entries: readonly HistoryEntry[],
  wanted: (entry: HistoryEntry) => boolean,
): HistoryEntry | undefined {
  return entries.findLast((one) => one.other === null && wanted(one)) ?? entries.findLast(wanted);
}

/**
 * Returns the reason why a version cannot be restored, as a clause with the next step; null if it
 * can be restored.
 */
export function obstacleTo(
  state: World["state"],
  { link, path, id }: KnownPlace,
  entry: HistoryEntry,
  atPath: PathState,
): { readonly what: string; readonly next: string } | null {
  if (entry.size === null)
    return { what: goneContent(entry), next: `mdmirror history ${path} lists the other versions` };
  if (link !== null && state.conflict(link.id) !== null)
    return { what: "it is in conflict", next: `resolve that first: mdmirror resolve ${path} --mine | --theirs` };
  if (atPath.kind === "absent" || (link !== null && atPath.kind === "file")) return null;
  const what = link === null ? "another file is at this path now" : "the file now at this path cannot be read";
  return { what, next: `move that file first, or run: mdmirror show ${id ?? path}@${entry.n} --output FILE` };
}

function goneContent({ n }: HistoryEntry): string {
  return `the content of version ${n} is no longer in the history`;
}

/**
 * Returns the document's own version at that time, or its last version. If there is none, returns
 * the reason as a clause.
 */
export function entryAt(entries: readonly HistoryEntry[], asOf: number | null): HistoryEntry | string {
  const own = entries.filter(({ other }) => other === null);
  const entry = own.findLast(({ at }) => asOf === null || at <= asOf);
  if (entry === undefined) return own.length === 0 ? "its content is not known" : "it did not exist yet";
  return entry.size === null ? goneContent(entry) : entry;
}
