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
import { givenMoment } from "./as-of.ts";
import { findDocument, type KnownPlace, linkAt } from "./find-document.ts";
import { chooseVersion, entryAt } from "./find-version.ts";
import { type HistoryEntry, readHistory } from "./history.ts";
import { endOfManual, leftAsIs } from "../manual/many.ts";
import { manualResult } from "../manual/resolve.ts";
import { isPattern, namesOf, selectPaths, WHOLE_FOLDER } from "../manual/selection.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { byPath } from "../../model/by-path.ts";
import { RESTORE } from "../declared/restore.ts";
import type { ResultOf } from "../define.ts";
import type { Operation } from "../run-operation.ts";

/**
 * Restores one document, or several by their paths, a folder or a pattern: deleted documents, or
 * all as they were at some time. Each restored version is an edit that the next run sends.
 */

export type RestoreItem =
  | {
      readonly kind: "put-back";
      readonly path: LocalPath;
      readonly id: DocId | null;
      readonly entry: HistoryEntry;
      /** Digest of the content that the file must still have; null if there must be no file. */
      readonly expect: Digest | null;
      /**
       * True if the document is no longer on the service, so that its content is restored as a new
       * document.
       */
      readonly asNew: boolean;
    }
  | { readonly kind: "left"; readonly path: LocalPath; readonly why: string };

/**
 * A document that exists or existed. `gone`: time of its deletion, in milliseconds since the epoch;
 * null: it is linked.
 */
type Subject = Pick<KnownPlace, "path" | "link" | "tombstone"> & { readonly id: DocId; readonly gone: number | null };

export type RestorePlan = {
  /**
   * True if one document was named: a reason that prevents its restore then ends the whole call.
   */
  readonly isOne: boolean;
  /**
   * Time whose versions are restored, in milliseconds since the epoch; null: only deleted
   * documents, with their last version.
   */
  readonly asOf: number | null;
  readonly items: readonly RestoreItem[];
};

export const restore: Operation<typeof RESTORE, RestorePlan> = {
  declared: RESTORE,
  plan({ world }, { paths, n = null, asOf: time, expected }) {
    const moment = givenMoment(time, world.clock);
    if (moment.kind === "trouble") return moment;
    const asOf = moment.value;
    if (n !== null && (paths.length > 1 || asOf !== null))
      return trouble("usage", "a numbered version is of one document", "give one path and no time");
    const isOne = paths.length === 1 && asOf === null && (n !== null || isDocument(world.state, paths[0]!));
    if (expected !== undefined && !isOne)
      return trouble("usage", "expected names the versions of one document", "give one path and no time");
    const items = isOne ? planOne(world, paths[0]!, n) : planSeveral(world, namesOf(paths), asOf);
    return items.kind === "trouble" ? items : ok({ isOne, asOf, items: items.value });
  },
  seen(_mirror, { isOne, items: [item] }) {
    return isOne && item?.kind === "put-back" ? { local: item.expect, version: item.entry.digest } : {};
  },
  preview: ({ asOf, items }) => ({ asOf, run: null, items: items.map(plannedItem) }),
  run: ({ world }, plan, stop) => restorePlanned(world, plan, stop),
};

type RestoredItem = ResultOf<typeof RESTORE>["items"][number];

function plannedItem(item: RestoreItem): RestoredItem {
  if (item.kind === "left")
    return { ...leftAsIs(item.path, item.why), id: null, n: null, at: null, sha256: null, asNew: false };
  return { path: item.path, end: "planned", why: "", notes: [], ...versionOf(item) };
}

function versionOf({ id, entry, asNew }: PutBack) {
  return { id, n: entry.n, at: Math.max(0, entry.at), sha256: entry.digest, asNew };
}

/** Returns true if a name means one document, rather than a folder or a pattern. */
function isDocument(state: State, name: string): boolean {
  const base = state.load();
  return findDocument(state, base, name) !== null || (!hasBelow(base, name) && !isPattern(name));
}

function planOne(world: World, name: string, n: number | null): Result<readonly RestoreItem[]> {
  const chosen = chooseVersion(world, name, n);
  if (chosen.kind === "trouble") return chosen;
  const { document, path, entry, asNew, now } = chosen.value;
  return ok([{ kind: "put-back", path, id: document.id, entry, expect: now, asNew }]);
}

/** Plans the restore of several documents. A document that is already as requested gets no item. */
function planSeveral(
  { state, disk }: Pick<World, "state" | "disk">,
  names: readonly string[],
  asOf: number | null,
): Result<readonly RestoreItem[]> {
  const base = state.load();
  const subjects = subjectsOf(base, asOf);
  const known = new Set(subjects.map(({ path }) => path));
  // A document can also be named by an earlier path, or by its id.
  const asked = names.map((name) => (known.has(name) ? name : (findDocument(state, base, name)?.path ?? name)));
  const selection = selectPaths(asked, known, disk);
  if (selection.kind === "trouble") return selection;
  const storedNames = allStoredNames(state);
  const items = subjects
    .filter(({ path }) => selection.value.takes(path))
    .flatMap((subject) => itemOf({ state, disk }, storedNames, subject, asOf));
  return ok(items.toSorted(byPath));
}

function hasBelow({ links, tombstones }: BaseTree, folder: string): boolean {
  if (folder === WHOLE_FOLDER) return true;
  for (const { localPath } of links.values()) if (isBelow(localPath, folder)) return true;
  for (const { localPath } of tombstones.values()) if (isBelow(localPath, folder)) return true;
  return false;
}

/**
 * Returns one document for each path: the linked one; if none is linked, the one that was deleted
 * last, or the one at that time.
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

/**
 * Returns true if the document deleted at `at` comes before the one deleted at `other`: the later
 * deletion wins; for a given time, the first deletion after that time.
 */
function isNearer(at: number, other: number, asOf: number | null): boolean {
  if (asOf === null) return at > other;
  return at > asOf && (other <= asOf || at < other);
}

function itemOf(
  { state, disk }: Pick<World, "state" | "disk">,
  storedNames: State["storedNames"],
  subject: Subject,
  asOf: number | null,
): RestoreItem[] {
  const { id, path, link, tombstone } = subject;
  const look = disk.look(path);
  if (isOutOfQuestion(subject, look, asOf)) return [];
  const obstacle = obstacleTo(state, subject, look);
  if (obstacle !== null) return [{ kind: "left", path, why: obstacle }];
  const entry = entryAt(readHistory(state, { id, path, link, tombstone, asked: path }, storedNames), asOf);
  if (typeof entry === "string") return [{ kind: "left", path, why: entry }];
  const expect = look.kind === "file" ? look.digest : null;
  if (expect === entry.digest) return [];
  return [{ kind: "put-back", path, id, entry, expect, asNew: link === null }];
}

/**
 * Returns true if a document is not asked for: it exists and only deleted ones are wanted, or it
 * was already deleted at that time.
 */
function isOutOfQuestion({ link, gone }: Subject, look: Look, asOf: number | null): boolean {
  if (asOf === null) return link !== null && look.kind !== "absent";
  return gone !== null && gone <= asOf;
}

/**
 * Returns why nothing can be restored at a path.
 * @returns a clause; null if it can
 */
function obstacleTo(state: State, { id, path, link }: Subject, look: Look): string | null {
  if (link === null) return look.kind === "absent" ? null : "another file is at this path now";
  if (look.kind !== "absent" && look.kind !== "file") return "the file now at this path cannot be read";
  return state.conflict(id) === null ? null : `it is in conflict: mdmirror resolve ${path}`;
}

/**
 * Reads all records of seen contents with one query, because each query to the state reads every
 * row.
 */
function allStoredNames(state: State): State["storedNames"] {
  const all = state.storedNames({});
  const byPath = Map.groupBy(all, ({ path }) => path);
  const byId = Map.groupBy(all, ({ id }) => id);
  return ({ path, id, formerly = [] }) => {
    const found = new Set([
      ...storedUnder(byPath, path),
      ...storedUnder(byId, id),
      ...formerly.flatMap((name) => storedUnder(byPath, name)).filter((one) => one.id === null),
    ]);
    return [...found].toSorted((a, b) => a.at - b.at);
  };
}

function storedUnder<K>(
  index: ReadonlyMap<K, readonly StoredName[]>,
  key: K | null | undefined,
): readonly StoredName[] {
  return key === undefined || key === null ? [] : (index.get(key) ?? []);
}

type PutBack = Extract<RestoreItem, { kind: "put-back" }>;

/**
 * Restores each document separately, as one run. A document that changed since the plan stays as it
 * is.
 */
async function restorePlanned(
  world: World,
  { isOne, asOf, items }: RestorePlan,
  stop: AbortSignal,
): Promise<Result<ResultOf<typeof RESTORE>>> {
  const wanted = items.filter((item) => item.kind === "put-back");
  const left = items.filter(({ kind }) => kind === "left").map(plannedItem);
  if (wanted.length === 0) return ok({ asOf, run: null, items: left });
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
  const one = isOne ? manualResult(wanted[0]!.path, ends[0]!) : null;
  if (one?.kind === "trouble") return one;
  // If another folder is at the root's path by now, `ends` has one entry, which applies to all
  // items.
  const tried = wanted.map((item, at) => ({ ...endOfManual(item.path, ends[at] ?? ends[0]!), ...versionOf(item) }));
  return ok({ asOf, run, items: [...tried, ...left] });
}

function putBack(ctx: PassContext, { id, path, entry, expect, asNew }: PutBack): ManualEnd {
  const detail = `version ${entry.n} restored`;
  const link = asNew || id === null ? null : ctx.world.state.link(id);
  return link === null || expect === null
    ? restoreFile(ctx, { id, path, isNew: link === null }, entry.digest, detail)
    : restoreText(ctx, link, entry.digest, expect, detail);
}
