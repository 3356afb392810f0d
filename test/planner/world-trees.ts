import type { DocId } from "../../src/contract/ids.ts";
import { STILL_WRITTEN, type Unread, unreadable } from "../../src/mirror/model/seen.ts";
import type { BaseTree, LocalFile, LocalTree, RemoteTree, Trees } from "../../src/mirror/model/tree.ts";
import type { ModelFile, World } from "./world.ts";

/** The model as the planner gets it, and as tests compare it. */

export function treesOf(world: World): Trees {
  return { base: baseOf(world), local: localOf(world), remote: remoteOf(world) };
}

function baseOf(world: World): BaseTree {
  return {
    links: new Map(world.links),
    dirs: new Map(world.dirLinks),
    tombstones: new Map(world.tombstones),
    conflicts: new Map(world.conflicts),
    blocks: new Map(world.blocks),
  };
}

function localOf(world: World): LocalTree {
  return {
    files: new Map([...world.files].map(([path, one]) => [path, fileOf(world, path, one)])),
    folders: new Map([...world.folders].map(([path, one]) => [path, { path, dev: 1, ...one }])),
    others: new Map(
      [...world.others].map(([path, { kind, ino }]) => {
        const stamp = world.stamp({ text: "", ino, birthMs: 1000 + ino, nlink: 1, fault: null });
        return [path, { path, kind, stamp }];
      }),
    ),
    unseen: new Map([...world.unseen].map(([path, why]) => [path, unreadOf(why)])),
    disk: world.disk,
    inodesTrusted: world.inodesTrusted,
    ignores: (path) => world.ignored(path),
  };
}

function fileOf(world: World, path: string, file: ModelFile): LocalFile {
  const { text, fault } = file;
  const digest = world.digest(text);
  return { path, stamp: world.stamp(file), stampTrusted: true, digest, textFault: fault, empty: text === "" };
}

function remoteOf(world: World): RemoteTree {
  const { complete, nothingKnown, foldersComplete } = world;
  const gone = [...world.links.keys()].filter((id) => world.gone.has(id) || isProvenGone(world, id));
  const goneFolders = [...world.dirLinks.keys()].filter((id) => foldersComplete && !world.dirs.has(id));
  return {
    files: new Map(
      [...world.documents].map(([id, { path, text, changeId, protected: flag }]) => {
        const digest = world.read.has(id) ? { digest: world.digest(text) } : {};
        return [id, { id, path, changeId, protected: flag, ...digest }];
      }),
    ),
    folders: new Map(foldersComplete ? [...world.dirs].map(([id, path]) => [id, { id, path }]) : []),
    complete,
    nothingKnown,
    foldersComplete,
    gone: new Set(gone),
    goneFolders: new Set(goneFolders),
    outside: new Set(world.outside),
    unseen: new Map(world.remoteUnseen),
  };
}

function isProvenGone(world: World, id: DocId): boolean {
  return !world.documents.has(id) && !world.outside.has(id) && !world.remoteUnseen.has(id) && world.complete;
}

/** Places and texts of both sides, for comparison. */
export function sidesOf(world: World): { local: Record<string, string>; remote: Record<string, string> } {
  return {
    local: sorted([
      ...[...world.files].map(([path, { text }]): [string, string] => [path, text]),
      ...[...world.folders.keys()].map((path): [string, string] => [`${path}/`, ""]),
    ]),
    remote: sorted([
      ...[...world.documents.values()].map(({ path, text }): [string, string] => [path, text]),
      ...[...world.dirs.values()].map((path): [string, string] => [`${path}/`, ""]),
    ]),
  };
}

function sorted(entries: [string, string][]): Record<string, string> {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function unreadOf(why: string): Unread {
  return why === STILL_WRITTEN.why ? STILL_WRITTEN : unreadable(why);
}
