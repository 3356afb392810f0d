import type { ChangeId, DocId } from "../../../contract/ids.ts";
import { needsYou } from "../../model/hold.ts";
import { type Hold, type Link, linksByPath } from "../../model/link.ts";
import { ancestorsOf, isBelow, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree, LocalOther, LocalTree } from "../../model/tree.ts";
import { once } from "../../../common/once.ts";
import { observeLocal } from "../observe/observe.ts";
import { type Attention, attentionOfHold } from "./report.ts";
import { lacksDocuments } from "./standing.ts";
import type { World } from "./world.ts";

/**
 * A barrier: whether what is on disk when it is asked for is on the service. The disk itself is
 * looked at, because a watcher may not have told of a save yet. Nothing is written.
 */

/** A file, or a deletion, that was not seen to be on the service. */
export type Awaited = {
  readonly path: LocalPath;
  /** The newest run at that look: what a later one sends was read since. */
  readonly run: number;
  /**
   * Whether a text of it was under way at that look, sent before and not answered: when a later run
   * finds it there, that says nothing of what is on disk.
   */
  readonly isUnderWay: boolean;
};

/** A path of which nothing ever goes to the service. */
type Outside = {
  readonly path: LocalPath;
  /** `unknown`: nothing is there, and the mirror has never known anything there. */
  readonly why: LocalOther["kind"] | "mirror-folder" | "unknown";
};

export type Sighted =
  | { readonly kind: "outside"; readonly outside: readonly Outside[] }
  | {
      readonly kind: "seen";
      readonly awaited: readonly Awaited[];
      /** How many files and deletions the paths stand for, those that are live already included. */
      readonly documents: number;
    };

/**
 * - `live`: the service has, or had meanwhile, the text that was on disk at the look or later.
 * - `gone`: nothing is there, on both sides.
 * - `in-review`: the text was handed over, and a reviewer decides. `blocked`: it needs a person.
 * - `waiting`: it is on its way, or cannot go yet.
 */
export type PathLive = {
  readonly path: LocalPath;
  readonly state: "live" | "gone" | "in-review" | "conflict" | "blocked" | "waiting";
  readonly id: DocId | null;
  /** The base version: for `live`, the one that holds the text. */
  readonly changeId: ChangeId | null;
  /** The changes that are in review, as far as the service named them. */
  readonly reviews: readonly ChangeId[];
  /** Why it is not live; null: it is, or nothing more is known. */
  readonly open: Attention | null;
};

/**
 * Looks at what is there.
 * @param scope files and folders; "" is the whole mirror
 * @param isCompared whether base may count as what the service holds
 */
export function sightBarrier(world: World, scope: readonly LocalPath[], isCompared: boolean): Sighted {
  const base = world.state.load();
  const ground: Ground = {
    world,
    base,
    isProof: isCompared && !lacksDocuments(world.state),
    run: world.state.runs(1)[0]?.run ?? 0,
    links: linksByPath(base.links.values()),
    underWay: sentAndOpen(world),
    walk: once(() => observeLocal(world, base, true, () => undefined)),
  };
  const found = scope.map((path) => sightPath(ground, path));
  const outside = found.filter((one) => "why" in one);
  if (outside.length > 0) return { kind: "outside", outside };
  const all = new Map(found.flatMap((one) => ("why" in one ? [] : one)).map((one) => [one.path, one]));
  const open = [...all.values()].filter((one) => !one.isLive);
  const awaited = open.map(({ path, run, isUnderWay }) => ({ path, run, isUnderWay }));
  return { kind: "seen", awaited, documents: all.size };
}

/** One that is live at this look need not be awaited, unless it was named. */
type SightedPath = Awaited & { readonly isLive: boolean };

function sightPath(ground: Ground, path: LocalPath): readonly SightedPath[] | Outside {
  if (isFile(ground, path)) return [awaitedAt(ground, path)];
  return below(ground, path) ?? nothingAt(ground, path);
}

type Ground = {
  readonly world: World;
  readonly base: BaseTree;
  /** Whether base says what the service holds. */
  readonly isProof: boolean;
  readonly run: number;
  readonly links: ReadonlyMap<LocalPath, Link>;
  /** Ids of documents, and paths of new ones, of which a text was sent and not answered. */
  readonly underWay: ReadonlySet<string>;
  /** A walk of the whole folder, made when it is first needed. */
  readonly walk: () => LocalTree;
};

/** Whether the path stands for a single document: one is there, was there, or cannot be read. */
function isFile({ world, links, walk }: Ground, path: LocalPath): boolean {
  if (path === "") return false;
  const look = world.disk.look(path);
  if (look.kind !== "folder" && links.get(path)?.standing === "linked") return true;
  return look.kind !== "folder" && (walk().files.has(path) || walk().unseen.has(path));
}

function sentAndOpen({ state }: World): ReadonlySet<string> {
  const sent = state.intents().flatMap(({ intent }) => {
    if (intent.kind === "put") return [intent.id];
    return intent.kind === "post" ? [intent.localPath] : [];
  });
  return new Set(sent);
}

function awaitedAt({ run, links, underWay }: Ground, path: LocalPath): SightedPath {
  const isUnderWay = underWay.has(path) || underWay.has(links.get(path)?.id ?? path);
  return { path, run, isUnderWay, isLive: false };
}

/** @returns null: there is no folder, here or in base */
function below(ground: Ground, folder: LocalPath): SightedPath[] | null {
  const { base, links, walk } = ground;
  const local = walk();
  const paths = new Set<LocalPath>();
  for (const path of local.files.keys()) if (isBelow(path, folder)) paths.add(path);
  for (const path of unreadIn(local, folder)) paths.add(path);
  for (const { localPath, standing } of links.values())
    if (standing === "linked" && isBelow(localPath, folder)) paths.add(localPath);
  const isKnown =
    folder === "" || local.folders.has(folder) || [...base.dirs.values()].some((dir) => dir.localPath === folder);
  if (paths.size === 0 && !isKnown) return null;
  return [...paths].map((path) => ({ ...awaitedAt(ground, path), isLive: isLive(ground, path) }));
}

function isLive({ base, isProof, links, walk }: Ground, path: LocalPath): boolean {
  const link = links.get(path);
  return (
    isProof && link !== undefined && link.localDigest === walk().files.get(path)?.digest && !base.conflicts.has(link.id)
  );
}

/** What could not be read of a folder, the folder itself included. */
function unreadIn(local: LocalTree, folder: LocalPath): LocalPath[] {
  const isItself = (path: LocalPath) => path === folder && (folder !== "" || isUnread(local));
  return [...local.unseen.keys()].filter((path) => isItself(path) || isBelow(path, folder));
}

/** Whether nothing at all could be read; of a whole that only keeps changing, files are seen. */
function isUnread({ unseen, files, others }: LocalTree): boolean {
  return unseen.has("") && files.size + others.size === 0;
}

/**
 * Nothing that is mirrored was seen at the path: it was deleted, or never goes to the service, or
 * nobody knows what lies there.
 */
function nothingAt(ground: Ground, path: LocalPath): SightedPath[] | Outside {
  const { world, base, walk } = ground;
  if (isUnread(walk())) return [awaitedAt(ground, path)];
  for (const at of [...ancestorsOf(path), path]) {
    if (at === ".mdmirror") return { path, why: "mirror-folder" };
    if (walk().unseen.has(at)) return [awaitedAt(ground, path)];
    const other = walk().others.get(at);
    if (other !== undefined) return { path, why: other.kind };
  }
  const wasThere = [...base.tombstones.values()].some(
    ({ localPath }) => localPath === path || isBelow(localPath, path),
  );
  if (wasThere || world.state.events({ limit: 1, path }).length > 0) return [awaitedAt(ground, path)];
  return { path, why: "unknown" };
}

/**
 * How each of them stands now. A path counts as live when its file is as base has it, or when a run
 * that began after the look has sent its document's text. That base has moved says nothing: a merge
 * moves it under an edit that is still to be sent, and a move brings another document's. No path is
 * live while a safety check stops the mirror because the service lacks documents.
 * @param isCompared whether base may count as what the service holds
 */
export function judgeBarrier(world: World, awaited: readonly Awaited[], isCompared: boolean): PathLive[] {
  const base = world.state.load();
  const links = linksByPath(base.links.values());
  const isProof = isCompared && !lacksDocuments(world.state);
  const holds = new Map([...base.holds.values()].map((hold) => [hold.path, hold]));
  return awaited.map((one) => {
    const { path } = one;
    const link = links.get(path) ?? null;
    const hold = (link === null ? undefined : base.holds.get(link.id)) ?? holds.get(path) ?? null;
    const about = { id: link?.id ?? null, changeId: link?.changeId ?? null, reviews: reviewsOf(link) };
    const open = hold === null ? null : attentionOfHold(hold);
    if (link !== null && base.conflicts.has(link.id)) return { ...about, path, state: "conflict", open };
    const state = stateOf(world, one, { link, hold, isProof });
    return { ...about, path, state, open: state === "live" || state === "gone" ? null : open };
  });
}

type Facts = { readonly link: Link | null; readonly hold: Hold | null; readonly isProof: boolean };

function stateOf(world: World, awaited: Awaited, { link, hold, isProof }: Facts): PathLive["state"] {
  const look = world.disk.look(awaited.path);
  if (look.kind === "absent" && link === null) return "gone";
  const digest = look.kind === "file" ? look.digest : null;
  if (isProof && link?.standing === "linked" && digest !== null)
    if (link.localDigest === digest || wasSentSince(world, link.id, awaited)) return "live";
  const isSent = link?.submissions.some((one) => one.digest === digest) === true;
  if (isSent || hold?.reason === "in-review" || hold?.reason === "review-conflict") return "in-review";
  return hold !== null && needsYou(hold.reason) && !mayPass(hold) ? "blocked" : "waiting";
}

/** The kinds of events that tell of a text that was sent. */
const SENDING = ["put", "create-remote"];
/** LIMIT: a text that went live before so many later ones were sent to review is not found. */
const NEWEST = 8;

/** Of one that was under way, the first that a later run notes may be that one. */
function wasSentSince({ state }: World, id: DocId, { run: since, isUnderWay }: Awaited): boolean {
  const events = state.events({ limit: NEWEST, id, kinds: SENDING });
  const sent = events.filter(({ run, outcome }) => run > since && outcome === "done");
  return sent.length > (isUnderWay ? 1 : 0);
}

/** Whether a later look may end a hold that is told as needing somebody. */
function mayPass({ reason }: Hold): boolean {
  return reason === "not-seen" || reason === "local-unreadable";
}

function reviewsOf(link: Link | null): ChangeId[] {
  const ids = (link?.submissions ?? []).flatMap(({ changeId }) => (changeId === undefined ? [] : [changeId]));
  return [...new Set(ids)];
}
