import type { DirId, DocId } from "../../contract/ids.ts";
import { agreesThere } from "../../model/agreement.ts";
import { digestOf } from "../../model/digest.ts";
import { HOLD_REASONS } from "../../model/hold.ts";
import type { DirLink, Link } from "../../model/link.ts";
import { ancestorsOf, isSidecarName, type LocalPath, nameOf } from "../../model/path.ts";
import type { State } from "../../ports/state.ts";
import {
  isComplete,
  type BaseTree,
  type LocalFile,
  type LocalFolder,
  type LocalOther,
  type LocalTree,
  type RemoteFile,
  type RemoteFolder,
  type RemoteTree,
  type Trees,
} from "../../model/tree.ts";
import type { PassEnd } from "../run/pass-context.ts";

/**
 * InSyncSnapshot: the service was last seen to hold just what base says, and nothing is left to do but what
 * is held. Then the trees need not be kept: base tells them, and the part that a few paths are
 * about can be cut out of it.
 */
export type InSyncSnapshot = {
  /** The last walk without its entries: its rules, and what the disk is like. */
  readonly ground: LocalTree;
  /** What is not as base says, or not judged by its text alone: ids and local paths. */
  readonly held: ReadonlySet<string>;
  /** Of the listing that was last found equal to base; null before there was one. */
  print: string | null;
};

/**
 * @param local as it is after the pass, likewise `remote`
 * @returns null where something is left to do, was not seen, or is not in base
 */
export function calmAfter(end: PassEnd, base: BaseTree, local: LocalTree, remote: RemoteTree): InSyncSnapshot | null {
  if (end.kind === "offline" || end.plan.verdict.kind !== "run") return null;
  if (local.unseen.size > 0 || !local.inodesTrusted) return null;
  if (!isComplete(remote) || remote.outside.size > 0) return null;
  if (!showsBase(base, remote.files) || !showsFolders(base, remote.folders)) return null;
  const held = new Set<string>(base.conflicts.keys());
  for (const { key, path, reason } of base.holds.values()) {
    if (HOLD_REASONS[reason].passes === true) return null;
    held.add(key).add(path);
  }
  const ground = { ...local, files: new Map(), folders: new Map(), others: new Map() };
  return { ground, held, print: null };
}

/** Whether a listing shows the linked documents, all of them and no other, as base has them. */
export function showsBase(base: BaseTree, files: ReadonlyMap<DocId, RemoteFile>): boolean {
  if (files.size !== base.links.size) return false;
  for (const link of base.links.values()) {
    const file = files.get(link.id);
    if (file === undefined || !agreesThere(link, file)) return false;
  }
  return true;
}

function showsFolders(base: BaseTree, folders: ReadonlyMap<DirId, RemoteFolder>): boolean {
  if (folders.size !== base.dirs.size) return false;
  for (const dir of base.dirs.values()) if (folders.get(dir.id)?.path !== dir.remotePath) return false;
  return true;
}

/** The service's side, told by base. */
export function remoteOf(links: Iterable<Link>, dirs: Iterable<DirLink>): RemoteTree {
  const files = new Map<DocId, RemoteFile>();
  for (const { id, remotePath, changeId, protected: isProtected } of links)
    files.set(id, { id, path: remotePath, changeId, protected: isProtected });
  const folders = new Map<DirId, RemoteFolder>();
  for (const { id, remotePath } of dirs) folders.set(id, { id, path: remotePath });
  const nothing = { gone: new Set<DocId>(), goneFolders: new Set<DirId>(), outside: new Set<DocId>() };
  return { files, folders, complete: true, foldersComplete: true, unseen: new Map(), ...nothing };
}

/** Names a listing: equal where all its documents are, in their order. */
export function printOf(files: ReadonlyMap<DocId, RemoteFile>): string {
  const lines: string[] = [];
  for (const { id, path, changeId, protected: isProtected } of files.values())
    lines.push(`${id} ${changeId} ${isProtected ? "p" : "-"} ${path}`);
  return digestOf(lines.join("\n"));
}

/**
 * The three trees as base has them, of the documents at these paths and the folders above alone.
 * @returns null where one of them is not judged by its text alone
 */
export function cutOut(state: State, calm: InSyncSnapshot, paths: readonly LocalPath[]): Trees | null {
  const links = new Map<DocId, Link>();
  const dirs = new Map<DirId, DirLink>();
  const files = new Map<LocalPath, LocalFile>();
  const folders = new Map<LocalPath, LocalFolder>();
  const others = new Map<LocalPath, LocalOther>();
  for (const path of paths) {
    if (calm.held.has(path)) return null;
    const [link, ...more] = state.linksAt(path);
    if (link === undefined) {
      if (path === "" || isSidecarName(nameOf(path)) || state.dirAt(path) !== null) return null;
      if (calm.ground.ignores(path, "folder")) others.set(path, { path, kind: "ignored-folder", stamp: null });
      continue;
    }
    const file = isPlain(link) && more.length === 0 && !calm.held.has(link.id) ? fileOf(link) : null;
    if (file === null) return null;
    links.set(link.id, link);
    files.set(path, file);
    for (const folder of ancestorsOf(path)) {
      const dir = folders.has(folder) ? undefined : state.dirAt(folder);
      if (dir === null) return null;
      if (dir === undefined) continue;
      dirs.set(dir.id, dir);
      folders.set(folder, { path: folder, dev: dir.dev, ino: dir.ino, birthMs: dir.birthMs });
    }
  }
  const base = { links, dirs, tombstones: new Map(), conflicts: new Map(), holds: new Map() };
  return { base, local: { ...calm.ground, files, folders, others }, remote: remoteOf(links.values(), dirs.values()) };
}

/** Its text goes out as soon as it is another one: nothing waits, for a review or a grant. */
function isPlain(link: Link): boolean {
  return link.standing === "linked" && !link.protected && link.submissions.length === 0;
}

function fileOf({ localPath: path, stamp, stampTrusted, localDigest: digest }: Link): LocalFile | null {
  if (stamp === null) return null;
  return { path, stamp, stampTrusted, digest, textFault: null, empty: stamp.size === 0 };
}
