import type { HISTORY } from "../declared/reads.ts";
import type { Answer } from "../define.ts";
import type { ChangeId, DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import { findPlace, type KnownPlace, type StateAndDisk, makeLocalLookup, toLocalForm } from "./lookup.ts";
import { type MergeOrigins, readMerge, readOrigins, type RecordedMerge } from "./origins.ts";
import type { PathState } from "../../ports/disk.ts";
import type { World } from "../../engine/run/world.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import type { LocalPath } from "../../../contract/path.ts";

export type HistoryEntry = {
  readonly n: number;
  readonly at: number;
  readonly digest: Digest;
  readonly from: "service" | "local";
  readonly changeId: ChangeId | null;
  readonly what: string;
  readonly other: DocId | null;
  readonly size: number | null;
  readonly merge: RecordedMerge | null;
};

/** LIMIT: number of newest events read of one document, so that a long history stays fast. */
export const MAX_EVENTS = 10_000;
const SAME_MOMENT_MS = 1_000;

type StoredVersion = ReturnType<State["versions"]>[number];
/**
 * `order`: time by which entries are sorted. Usually the time of the entry itself. If the clock was
 * set back, a time just after that of the entry before.
 */
type WithSortingTime<T> = T & { readonly order: number };
type OrderedEntry = WithSortingTime<Omit<HistoryEntry, "n" | "size" | "merge">>;
type NumberedEntry = Omit<HistoryEntry, "merge">;
type OrderedEvent = WithSortingTime<MirrorEvent>;

/**
 * Returns the versions of a document or path:
 * - all versions that the service showed
 * - all local contents that an effect replaced
 * - other stored contents, such as the rejected content of a conflict, or content that was removed
 *   before an upload
 *
 * If consecutive versions have equal contents, returns only one of these versions.
 * @param storedOrigins finds the contents that were stored with a path or document. A caller that
 * reads many histories passes a function that is faster than the state's
 */
export function readHistory(
  state: State,
  document: KnownPlace,
  storedOrigins: State["storedOrigins"] = (query) => state.storedOrigins(query),
): HistoryEntry[] {
  const { id } = document;
  const versions = id === null ? [] : state.versions(id).toReversed();
  const events = addSortingTimes(id === null ? [] : state.events({ limit: MAX_EVENTS, id }).toReversed());
  const publishedEntries = addSortingTimes(versions.map((version) => makeVersionEntry(version, events)));
  const publishedDigests = new Set(versions.map(({ digest }) => digest));
  const seenEntries = [
    ...publishedEntries,
    ...makeBaseEntry(document, publishedDigests),
    ...listEventContents(events, publishedDigests),
  ];
  return markMerges(
    numberEntries(state, [...seenEntries, ...listOnlyStored(storedOrigins, document, events, seenEntries)]),
    events,
  );
}

/**
 * Time, run and reason of a document's deletion. The run and the reason are null if no event
 * recorded them.
 */
type DocumentDeletion = NonNullable<Answer<typeof HISTORY>["deleted"]>;

export const REMOVAL_KINDS: ReadonlySet<string> = new Set(["trash-local", "delete-remote", "forget"]);

export function readDeletion(state: State, { id, record, tombstone }: KnownPlace): DocumentDeletion | null {
  if (id === null || record !== null) return null;
  // The state returns the newest events first, so the first match is the last deletion.
  const event = state.events({ limit: MAX_EVENTS, id }).find(({ kind }) => REMOVAL_KINDS.has(kind));
  if (event !== undefined) return { at: event.at, run: event.run, what: event.detail };
  return tombstone === null ? null : { at: tombstone.at, run: null, what: null };
}

/**
 * Gives each entry a time for sorting that is not before the time of the entry before.
 * @param entries in the order in which they were recorded
 */
function addSortingTimes<T extends { readonly at: number; readonly order?: number }>(
  entries: readonly T[],
): WithSortingTime<T>[] {
  let latestTime = Number.NEGATIVE_INFINITY;
  return entries.map((entry) => {
    const time = entry.order ?? entry.at;
    latestTime = time < latestTime ? latestTime + 1 : time;
    return { ...entry, order: latestTime };
  });
}

/**
 * Creates the entry of a published version. One transaction wrote the version and the event, but
 * the two times may differ a little.
 */
function makeVersionEntry({ at, digest, changeId }: StoredVersion, events: readonly OrderedEvent[]): OrderedEntry {
  const event = events.find((one) => one.after === digest && one.at >= at && one.at < at + SAME_MOMENT_MS);
  const reason = event?.detail ?? "found on the service";
  const times = { at: event?.at ?? at, order: event?.order ?? at };
  return { ...times, digest, from: "service", changeId, other: null, what: reason };
}

/** Creates an entry for the content of base, unless a published version has this content. */
function makeBaseEntry({ tombstone, record }: KnownPlace, wasLive: ReadonlySet<Digest>): OrderedEntry[] {
  const lastDigest = tombstone?.digest ?? record?.digest;
  if (lastDigest === undefined || wasLive.has(lastDigest)) return [];
  return [{ ...makeEntry(lastDigest), at: 0, order: 0, from: "service", what: "the last version seen" }];
}

/**
 * Returns the local contents before and after each event, without published contents. Content that
 * a restore wrote is always returned.
 */
function listEventContents(events: readonly OrderedEvent[], wasLive: ReadonlySet<Digest>): OrderedEntry[] {
  return events.flatMap(({ at, order, before, after, detail, kind }) => {
    const eventEntries: OrderedEntry[] = [];
    const addEntry = (digest: Digest, what: string, when = order) =>
      eventEntries.push({ ...makeEntry(digest), at, order: when, from: "local", what });
    // The content before an event is older than the content after the event, so the entry of the
    // older content comes first.
    if (before !== null && !wasLive.has(before)) addEntry(before, `local, until: ${detail}`, order - 0.5);
    if (after !== null && !wasLive.has(after)) addEntry(after, `${kind}: ${detail}`);
    // Content that a restore wrote counts as a version, even if it was published before.
    if (after !== null && kind === "restore") addEntry(after, detail);
    return eventEntries;
  });
}

/**
 * Marks the version that each merge made: the first version with the merged content since the
 * merge. If no such version exists, marks the last version with this content before the merge. Does
 * not mark a later restore of this content.
 */
function markMerges(entries: readonly NumberedEntry[], events: readonly MirrorEvent[]): HistoryEntry[] {
  const mergeByNumber = new Map<number, RecordedMerge>();
  for (const event of events) {
    const merge = readMerge(event);
    if (merge === null) continue;
    const sameContent = entries.filter(({ digest }) => digest === merge.result);
    const mergedEntry = sameContent.find(({ at }) => at >= merge.at) ?? sameContent.at(-1);
    if (mergedEntry !== undefined) mergeByNumber.set(mergedEntry.n, merge);
  }
  return entries.map((entry) => ({ ...entry, merge: mergeByNumber.get(entry.n) ?? null }));
}

function makeEntry(digest: Digest): Pick<OrderedEntry, "digest" | "changeId" | "other"> {
  return { digest, changeId: null, other: null };
}

/** Returns stored contents of the document that belong to no event and no published version. */
function listOnlyStored(
  storedOrigins: State["storedOrigins"],
  { id, path, requestedPath }: KnownPlace,
  events: readonly OrderedEvent[],
  seen: readonly OrderedEntry[],
): OrderedEntry[] {
  const knownDigests = new Set(seen.map(({ digest }) => digest));
  const formerPaths = new Set(events.flatMap((event) => [event.path, event.from ?? event.path]));
  return storedOrigins({ path: requestedPath, id, formerPaths: [path, ...formerPaths] }).flatMap((stored) => {
    const { digest, at, side, why } = stored;
    if (knownDigests.has(digest)) return [];
    knownDigests.add(digest);
    const from = side === "remote" ? "service" : "local";
    const other = stored.id === id ? null : stored.id;
    return [{ ...makeEntry(digest), at, order: at, from, what: why, other }];
  });
}

function numberEntries(state: State, seen: readonly OrderedEntry[]): NumberedEntry[] {
  const entries: NumberedEntry[] = [];
  for (const { order: _order, ...entry } of seen.toSorted((a, b) => a.order - b.order)) {
    const lastEntry = entries.at(-1);
    if (lastEntry?.digest === entry.digest) {
      // The same content was first local, then published. The published entry has more fields, so
      // this entry replaces the local entry.
      if (lastEntry.from === "local" && entry.from === "service")
        entries[entries.length - 1] = { ...entry, at: lastEntry.at, n: lastEntry.n, size: lastEntry.size };
      continue;
    }
    const content = state.text(entry.digest);
    const size = content === null ? null : Buffer.byteLength(content);
    entries.push({ ...entry, at: Math.round(entry.at), n: entries.length + 1, size });
  }
  return entries;
}

export function describeParts({ base, mine, theirs }: RecordedMerge, entries: readonly HistoryEntry[]): string {
  return `${describePart("base", base, entries)}, ${describePart("mine", mine, entries)} and ${describePart("theirs", theirs, entries)}`;
}

function describePart(name: string, digest: string, entries: readonly HistoryEntry[]): string {
  const partEntry = entries.findLast((one) => one.digest === digest);
  return partEntry === undefined ? name : `${name} @${partEntry.n}`;
}

type FoundVersion = {
  readonly document: KnownPlace;
  readonly entry: HistoryEntry;
  readonly entries: readonly HistoryEntry[];
};

/** @param n number of the version in the history; null for the newest version */
export function findVersion(world: Pick<World, "state">, name: string, n: number | null): Result<FoundVersion> {
  const { state } = world;
  const document = findPlace(state, state.load(), name);
  const entries = readHistory(state, document);
  if (entries.length === 0)
    return refusal(
      `mdmirror has no record of ${name}`,
      "give the present or an earlier path in the linked folder, or the id doc_…",
    );
  const foundEntry = n === null ? findNewest(entries, () => true) : entries.find((one) => one.n === n);
  if (foundEntry === undefined)
    return refusal(
      `${document.path} has no version ${n}: it has versions 1 to ${entries.length}`,
      `mdmirror history ${quoteForShell(name)}`,
    );
  return ok({ document, entry: foundEntry, entries });
}

/** Returns a version's content as the local file would have it. */
export function findContent(
  local: StateAndDisk,
  name: string,
  n: number | null,
): Result<FoundVersion & { readonly text: string }> {
  const foundVersion = findVersion(local, name, n);
  if (foundVersion.kind === "trouble") return foundVersion;
  const { document, entry } = foundVersion.value;
  const content = makeLocalLookup(local, document.path).text(entry.digest);
  if (content !== null) return ok({ ...foundVersion.value, text: content });
  const nextStep = `mdmirror history ${quoteForShell(name)} lists the other versions`;
  return refusal(`${document.path}: ${describeGoneContent(entry)}`, nextStep);
}

/**
 * Returns the newest version of this document that fulfils the condition. Without such a version,
 * returns the newest such version of another document at the path; otherwise undefined.
 */
export function findNewest(
  entries: readonly HistoryEntry[],
  wanted: (entry: HistoryEntry) => boolean,
): HistoryEntry | undefined {
  return entries.findLast((entry) => entry.other === null && wanted(entry)) ?? entries.findLast(wanted);
}

/** Returns why a version cannot be restored, and the next step; null if nothing prevents it. */
export function explainObstacle(
  state: World["state"],
  { record, path, id }: KnownPlace,
  entry: HistoryEntry,
  atPath: PathState,
): { readonly what: string; readonly next: string } | null {
  if (entry.size === null)
    return {
      what: describeGoneContent(entry),
      next: `mdmirror history ${quoteForShell(path)} lists the other versions`,
    };
  if (record !== null && state.conflict(record.id) !== null)
    return {
      what: "it is in conflict",
      next: `resolve that first: mdmirror resolve ${quoteForShell(path)} --mine | --theirs`,
    };
  if (atPath.kind === "absent" || (record !== null && atPath.kind === "file")) return null;
  const problem = record === null ? "another file is at this path now" : "the file now at this path cannot be read";
  return {
    what: problem,
    next: `move that file first, or run: mdmirror show ${quoteForShell(`${id ?? path}@${entry.n}`)} --output FILE`,
  };
}

function describeGoneContent({ n }: HistoryEntry): string {
  return `the content of version ${n} is no longer in the history`;
}

/** Returns the version at a time; a clause if no version existed, or its content is not stored. */
export function findEntryAt(entries: readonly HistoryEntry[], asOf: number | null): HistoryEntry | string {
  const ownEntries = entries.filter(({ other }) => other === null);
  const latestEntry = ownEntries.findLast(({ at }) => asOf === null || at <= asOf);
  if (latestEntry === undefined) return ownEntries.length === 0 ? "its content is not known" : "it did not exist yet";
  return latestEntry.size === null ? describeGoneContent(latestEntry) : latestEntry;
}

/** Name of a version: its number, or `here` for the current local file. */
export type VersionName = number | "here";

export type NamedVersion = { readonly name: VersionName; readonly text: string; readonly at: number | null };

/** @param name current or earlier path of the document */
export function readText(
  local: StateAndDisk,
  name: string,
  wanted: VersionName,
): Result<NamedVersion & { readonly path: LocalPath }> {
  if (wanted !== "here") {
    const foundContent = findContent(local, name, wanted);
    if (foundContent.kind === "trouble") return foundContent;
    const { document, entry, text } = foundContent.value;
    return ok({ path: document.path, name: wanted, text, at: entry.at });
  }
  const foundVersion = findVersion(local, name, null);
  if (foundVersion.kind === "trouble") return foundVersion;
  const { path } = foundVersion.value.document;
  const readResult = local.disk.read(path);
  if (readResult.kind !== "done")
    return refusal(`${path} cannot be read: ${readResult.detail}`, "compare two versions instead");
  return ok({ path, name: wanted, text: toLocalForm(local.disk, path, readResult.value.text)!, at: null });
}

export type VersionView = {
  readonly path: LocalPath;
  readonly entry: HistoryEntry;
  readonly text: string;
  readonly origins: MergeOrigins | null;
  readonly localFile: { readonly text: string | null; readonly digest: Digest } | null;
  readonly asNew: boolean;
  /**
   * Reason why the version cannot be restored, as a clause, and the next step; null if the version
   * can be restored.
   */
  readonly obstacle: { readonly what: string; readonly next: string } | null;
};

export function readVersion(local: StateAndDisk, name: string, n: number): Result<VersionView> {
  const foundContent = findContent(local, name, n);
  if (foundContent.kind === "trouble") return foundContent;
  const { document, entry, text } = foundContent.value;
  const { path } = document;
  const { disk, state } = local;
  const atPath = disk.look(path);
  const readResult = disk.read(path);
  const localText = readResult.kind === "done" ? toLocalForm(disk, path, readResult.value.text) : null;
  return ok({
    path,
    entry,
    text,
    origins: entry.merge === null ? null : readOrigins(makeLocalLookup(local, path), entry.merge),
    localFile: atPath.kind === "file" ? { text: localText, digest: atPath.digest } : null,
    asNew: document.record === null,
    obstacle: explainObstacle(state, document, entry, atPath),
  });
}
