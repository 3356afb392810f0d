import type { DirId, DocId } from "../../contract/ids.ts";
import type { FileResource, FolderResource } from "../../contract/resources.ts";
import type { Digest } from "../../model/digest.ts";
import { isAway, type Link, type Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import { BorrowedMap, ownOf } from "../../model/borrowed-map.ts";
import { findByFolder } from "../../model/by-folder.ts";
import type { KnownFile, OnText } from "../../ports/disk.ts";
import type { Fault, Held, Listing } from "../../ports/remote.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteFile, RemoteFolder, RemoteTree } from "../../model/tree.ts";
import { believable, findGoneFolders, foldersOf, listFolders, showsFolder } from "./folders.ts";
import { documentsOf, HeldLinks, listDocuments, withRecognised } from "./listed.ts";
import { isWholeServiceFault, type Proof, proveAbsences, unprovable } from "./prove-absences.ts";
import type { World } from "../run/world.ts";

/** The two looks of a pass. Both may be incomplete, and say so; neither decides anything. */

/**
 * Walks the folder; what the links' stamps vouch for is not read. New texts are kept at once (I03).
 */
export function observeLocal(world: World, base: BaseTree, inodesTrusted: boolean, keep: OnText): LocalTree {
  world.progress.report("scan", 0, null);
  // One transaction: each new text by itself would be one. The walk does not yield, and what was
  // kept before a kill is only found again by the next.
  const tree = world.state.transact(() => world.disk.walk(knownBy(base), keep));
  return seenBy(world, base, inodesTrusted, tree);
}

/**
 * The same, while the service's answers are taken: it makes them meanwhile, on another core or
 * machine.
 * @param turn lets them in
 */
export async function observeLocalInTurns(
  world: World,
  base: BaseTree,
  inodesTrusted: boolean,
  keep: OnText,
  turn: () => Promise<void>,
): Promise<LocalTree> {
  world.progress.report("scan", 0, null);
  const walk = world.disk.walkInParts(knownBy(base), keep);
  for (;;) {
    // What was asked for before the walk goes out first.
    await turn();
    // A transaction for each part: none is open while others run.
    const part = world.state.transact(() => walk.next());
    if (part.done === true) return seenBy(world, base, inodesTrusted, part.value);
  }
}

function knownBy(base: BaseTree): (path: LocalPath) => KnownFile | null {
  const find = findByFolder(vouching(base), ({ localPath }) => localPath);
  return (path) => {
    const link = find(path);
    return link?.stamp ? { stamp: link.stamp, digest: link.localDigest, path: link.localPath } : null;
  };
}

function* vouching({ links }: BaseTree): Iterable<Link> {
  for (const link of links.values()) if (link.stampTrusted && link.stamp !== null) yield link;
}

function seenBy(world: World, base: BaseTree, inodesTrusted: boolean, tree: LocalTree): LocalTree {
  world.progress.report("scan", tree.files.size, tree.files.size);
  const files = tree.files instanceof BorrowedMap ? tree.files.lentBy(base.links) : tree.files;
  return { ...tree, files, inodesTrusted };
}

/**
 * Links whose file was read again and found unchanged get the newer stamp, so that the next walk
 * need not read it.
 * @returns base with them: of 100,000 links a second load takes a fifth of a pass
 */
export function refreshStamps(world: World, base: BaseTree, local: LocalTree): BaseTree {
  const { state } = world;
  const refreshed: Link[] = [];
  // What is the link's own has its stamp.
  const read = ownOf(local.files, base.links);
  if (read.size === 0) return base;
  for (const link of base.links.values()) {
    const file = isAway(link) ? undefined : read.get(link.localPath);
    if (file !== undefined && provesNewStamp(file, link))
      refreshed.push({ ...link, stamp: file.stamp, stampTrusted: true });
  }
  if (refreshed.length === 0) return base;
  state.transact(() => {
    for (const link of refreshed) state.putLink(link);
  });
  const links = new Map(base.links);
  for (const link of refreshed) links.set(link.id, link);
  return { ...base, links };
}

/** The text is the link's, under a stamp that the link does not have. */
function provesNewStamp({ digest, stamp, stampTrusted }: LocalFile, link: Link): boolean {
  return stampTrusted && digest === link.localDigest && !hasStamp(link, stamp);
}

function hasStamp({ stamp, stampTrusted }: Link, { ctimeMs, ino }: Stamp): boolean {
  return stampTrusted && stamp !== null && stamp.ctimeMs === ctimeMs && stamp.ino === ino;
}

export type RemoteLook =
  | { readonly kind: "seen"; readonly tree: RemoteTree }
  | { readonly kind: "unreachable"; readonly fault: Fault };

/**
 * What is known of the service before the look: a listing just made, and folders of an earlier one
 * that are believed for now.
 */
export type Known = {
  readonly files?: Listing<FileResource>;
  /** Listed anew all the same when a document stands in a folder that is not among them. */
  readonly folders?: ReadonlyMap<DirId, RemoteFolder>;
  /**
   * Takes the text of a document that was read for proof alone: shown once, it may be edited there
   * before the next look (I03).
   */
  readonly keep?: (digest: Digest, text: string, link: Link) => void;
  /**
   * Told of each document as the listing shows it: whether it is as base has it. By base where it
   * is left out.
   */
  readonly held?: Held;
};

/**
 * Lists the mirrored subtree and proves each absence. A failed page voids the absences of the pass
 * (I20).
 * @param trustEmpty the user approved that nothing known is visible: then 404 alone is proof
 */
export async function observeRemote(
  world: World,
  base: BaseTree,
  trustEmpty: boolean,
  known: Known = {},
): Promise<RemoteLook> {
  const [files, early] = await list(world, base, known);
  const own = documentsOf(world, files, base.links);
  const seen = withRecognised(base.links, files, own);
  // Where no known document is listed, a folder that is listed now shows that the key is healthy;
  // one that is believed does not.
  const noneListed = base.links.size > 0 && !showsDocument(base, seen);
  const believed = noneListed ? null : believable(known.folders, seen);
  const folders = believed === null ? (early ?? (await listFolders(world))) : NOT_LISTED;
  const lost = faultOfWhole(files);
  if (lost !== null) return { kind: "unreachable", fault: lost };

  const dirs = foldersOf(world, believed, folders);
  const isHealthy = trustEmpty || (noneListed && showsFolder(base, dirs));
  const proof = files.complete
    ? await proveAbsences(world, base, seen, own, isHealthy, known.keep)
    : unprovable(base, seen, files.fault);
  if (proof.fault !== null) return { kind: "unreachable", fault: proof.fault };
  return { kind: "seen", tree: treeOf(base, { files, folders, seen, dirs, proof }) };
}

/** Both side by side. null: the folders that are known may do. */
function list(
  world: World,
  { links }: BaseTree,
  known: Known,
): Promise<[Listing<FileResource>, Listing<FolderResource> | null]> {
  return Promise.all([
    known.files ?? listDocuments(world, known.held ?? new HeldLinks(world, links)),
    known.folders === undefined ? listFolders(world) : null,
  ]);
}

const NOT_LISTED: Listing<FolderResource> = { items: [], complete: false, fault: null };

type Looked = {
  readonly files: Listing<FileResource>;
  readonly folders: Listing<FolderResource>;
  readonly seen: ReadonlyMap<DocId, RemoteFile>;
  readonly dirs: ReadonlyMap<DirId, RemoteFolder>;
  readonly proof: Proof;
};

function treeOf(base: BaseTree, { files, folders, seen, dirs, proof }: Looked): RemoteTree {
  const isComplete = folders.complete && files.complete;
  return {
    files: seen,
    folders: dirs,
    complete: files.complete,
    foldersComplete: folders.complete,
    goneFolders: isComplete ? findGoneFolders(base, dirs, seen) : new Set<DirId>(),
    gone: proof.gone,
    outside: proof.outside,
    unseen: proof.unseen,
    ...(proof.nothingKnown ? { nothingKnown: true } : {}),
    ...gapOf(files.fault ?? folders.fault),
  };
}

/** No connection, not the service, the key refused; or a list that is refused as a whole (I19). */
function faultOfWhole({ complete, fault, items, same }: Listing<FileResource>): Fault | null {
  if (complete || fault === null) return null;
  const showsNothing = items.length + (same?.size ?? 0) === 0;
  return isWholeServiceFault(fault) || (fault.kind === "problem" && showsNothing) ? fault : null;
}

function showsDocument({ links }: BaseTree, listed: ReadonlyMap<DocId, RemoteFile>): boolean {
  for (const id of links.keys()) if (listed.has(id)) return true;
  return false;
}

/** What the next look would not mend, and what it may. */
function gapOf(fault: Fault | null): Pick<RemoteTree, "misread" | "cutShort"> {
  if (fault === null) return {};
  return fault.kind === "later" && fault.cause === "malformed" ? { misread: fault.detail } : { cutShort: fault.detail };
}
