import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import { isBelow, type LocalPath } from "../../../contract/path.ts";
import type { Look } from "../../ports/disk.ts";
import type { StoredName, State } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";
import { stale } from "../../engine/apply/effect.ts";
import { type ManualEnd, isStopped, notDone, runManually } from "../../engine/manual/run-manually.ts";
import { restoreFile, restoreText } from "../../engine/manual/restore.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import type { World } from "../../engine/run/world.ts";
import { NOT_BEGUN } from "../../model/not-begun.ts";
import { findDocument, type KnownPlace, linkAt } from "./find-document.ts";
import { type HistoryEntry, readHistory } from "./history.ts";
import { isDone } from "../manual/resolve.ts";
import { isPattern, selectPaths } from "../manual/selection.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { byPath } from "../../model/by-path.ts";

/**
 * Restores several documents at once, by a folder or a pattern: what was deleted, or all as it was
 * at some time.
 */

export type RestoreItem =
  | {
      readonly kind: "put-back";
      readonly path: LocalPath;
      readonly id: DocId;
      readonly entry: HistoryEntry;
      /** The text that must still be there; null: no file. */
      readonly expect: Digest | null;
      /** It is no longer on the service, so it comes back as a new document. */
      readonly asNew: boolean;
    }
  | { readonly kind: "left"; readonly path: LocalPath; readonly why: string };

/**
 * A document that exists, or did. `gone`: when it went, in milliseconds since the epoch; null: it
 * is linked.
 */
type Subject = Pick<KnownPlace, "path" | "link" | "tombstone"> & { readonly id: DocId; readonly gone: number | null };

/** Whether a name means one document, rather than a folder or a pattern. */
export function isOne(state: State, name: string): boolean {
  const base = state.load();
  return findDocument(state, base, name) !== null || (!hasBelow(base, name) && !isPattern(name));
}

/**
 * @param asOf milliseconds since the epoch; null: only what is gone comes back, with its last text
 * @returns no item for what is already as wanted
 */
export function planRestore(
  { state, disk }: Pick<World, "state" | "disk">,
  names: readonly string[],
  asOf: number | null,
): Result<readonly RestoreItem[]> {
  const base = state.load();
  const subjects = subjectsOf(base, asOf);
  const known = new Set(subjects.map(({ path }) => path));
  // A document is found by a path that it had before, and by its id.
  const asked = names.map((name) => (known.has(name) ? name : (findDocument(state, base, name)?.path ?? name)));
  const selection = selectPaths(asked, known, disk);
  if (selection.kind === "trouble") return selection;
  const sightings = allSightings(state);
  const items = subjects
    .filter(({ path }) => selection.value.takes(path))
    .flatMap((subject) => itemOf({ state, disk }, sightings, subject, asOf));
  return ok(items.toSorted(byPath));
}

function hasBelow({ links, tombstones }: BaseTree, folder: string): boolean {
  if (folder === "") return true;
  for (const { localPath } of links.values()) if (isBelow(localPath, folder)) return true;
  for (const { localPath } of tombstones.values()) if (isBelow(localPath, folder)) return true;
  return false;
}

/**
 * One document for each path: what is linked there; else what went last, or was there at that time.
 */
function subjectsOf(base: BaseTree, asOf: number | null): readonly Subject[] {
  const subjects = new Map<LocalPath, Subject>();
  for (const { id, localPath: path } of base.links.values()) {
    const link = linkAt(base, path);
    if (link?.id === id) subjects.set(path, { id, path, link, tombstone: null, gone: null });
  }
  for (const tombstone of base.tombstones.values()) {
    const { id, localPath: path, at } = tombstone;
    const known = subjects.get(path);
    if (base.links.has(id) || known?.gone === null) continue;
    if (known === undefined || isNearer(at, known.gone, asOf))
      subjects.set(path, { id, path, link: null, tombstone, gone: at });
  }
  return [...subjects.values()];
}

/** Of two that went: the later one; for a moment, the first that went after it. */
function isNearer(at: number, other: number, asOf: number | null): boolean {
  if (asOf === null) return at > other;
  return at > asOf && (other <= asOf || at < other);
}

function itemOf(
  { state, disk }: Pick<World, "state" | "disk">,
  sightings: State["sightings"],
  subject: Subject,
  asOf: number | null,
): RestoreItem[] {
  const { id, path, link, tombstone } = subject;
  const look = disk.look(path);
  if (isOutOfQuestion(subject, look, asOf)) return [];
  const obstacle = obstacleTo(state, subject, look);
  if (obstacle !== null) return [{ kind: "left", path, why: obstacle }];
  const entry = entryAt(readHistory(state, { id, path, link, tombstone, asked: path }, sightings), asOf);
  if (typeof entry === "string") return [{ kind: "left", path, why: entry }];
  const expect = look.kind === "file" ? look.digest : null;
  if (expect === entry.digest) return [];
  return [{ kind: "put-back", path, id, entry, expect, asNew: link === null }];
}

/**
 * Whether it is not asked for: it is there, and only what is gone is wanted; or it was already gone
 * at that time.
 */
function isOutOfQuestion({ link, gone }: Subject, look: Look, asOf: number | null): boolean {
  if (asOf === null) return link !== null && look.kind !== "absent";
  return gone !== null && gone <= asOf;
}

/** @returns why nothing can be put back, as a clause */
function obstacleTo(state: State, { id, path, link }: Subject, look: Look): string | null {
  if (link === null) return look.kind === "absent" ? null : "another file is at this path now";
  if (look.kind !== "absent" && look.kind !== "file") return "the file now at this path cannot be read";
  return state.conflict(id) === null ? null : `it is in conflict: mdmirror resolve ${path}`;
}

/** The document's own text of that time, or its last one; or why there is none, as a clause. */
export function entryAt(entries: readonly HistoryEntry[], asOf: number | null): HistoryEntry | string {
  const own = entries.filter(({ other }) => other === null);
  const entry = own.findLast(({ at }) => asOf === null || at <= asOf);
  if (entry === undefined) return own.length === 0 ? "its content is not known" : "it did not exist yet";
  return entry.size === null ? `the content of version ${entry.n} is no longer in the history` : entry;
}

/** All names of texts, read once, because each question to the state reads every row. */
function allSightings(state: State): State["sightings"] {
  const all = state.sightings({});
  const byPath = Map.groupBy(all, ({ path }) => path);
  const byId = Map.groupBy(all, ({ id }) => id);
  return ({ path, id, formerly = [] }) => {
    const found = new Set([
      ...namesOf(byPath, path),
      ...namesOf(byId, id),
      ...formerly.flatMap((name) => namesOf(byPath, name)).filter((one) => one.id === null),
    ]);
    return [...found].toSorted((a, b) => a.at - b.at);
  };
}

function namesOf<K>(index: ReadonlyMap<K, readonly StoredName[]>, key: K | null | undefined): readonly StoredName[] {
  return key === undefined || key === null ? [] : (index.get(key) ?? []);
}

type RestoreEnd = { readonly item: RestoreItem; readonly done: boolean; readonly note: string };

export type RestoredMany = { readonly run: number | null; readonly ends: readonly RestoreEnd[] };

/**
 * Restores each by itself, as one run of edits of the folder; what was changed since the plan is
 * left.
 */
export async function restoreMany(
  world: World,
  items: readonly RestoreItem[],
  stop?: AbortSignal,
): Promise<RestoredMany> {
  const wanted = items.flatMap((item) => (item.kind === "put-back" ? [item] : []));
  let run: number | null = null;
  const ends = await runManually(world, "restore", async (ctx) => {
    run = ctx.run;
    const done: ManualEnd[] = [];
    for (const item of wanted) {
      world.progress.report("apply", done.length, wanted.length);
      done.push((await isStopped(world, stop)) ? notDone(stale(NOT_BEGUN)) : putBack(ctx, item));
    }
    return done;
  });
  const told = wanted.map((item, index) => {
    const end = ends[index] ?? ends[0]!;
    const done = isDone(end);
    return { item, done, note: !done && "detail" in end.outcome ? end.outcome.detail : "" };
  });
  return { run, ends: told };
}

type PutBack = Extract<RestoreItem, { kind: "put-back" }>;

function putBack(ctx: PassContext, { id, path, entry, expect }: PutBack): ManualEnd {
  const detail = `version ${entry.n} restored`;
  const link = ctx.world.state.link(id);
  return link === null || expect === null
    ? restoreFile(ctx, { id, path, isNew: link === null }, entry.digest, detail)
    : restoreText(ctx, link, entry.digest, expect, detail);
}
