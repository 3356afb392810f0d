import type { ChangeId, DirId, DocId } from "../../src/contract/ids.ts";
import { type Digest, digestOf } from "../../src/contract/digest.ts";
import type { Block, Conflict, DocumentRecord, FolderRecord, Stamp, Tombstone } from "../../src/mirror/model/record.ts";
import { ancestorsOf, type DiskNames, EXACT_DISK, isWithin, rebase } from "../../src/contract/path.ts";
import type { TextFault } from "../../src/contract/limits.ts";
import {
  type BaseTree,
  type LocalFile,
  type LocalTree,
  makeUnreadable,
  type RemoteTree,
  STILL_WRITTEN_REASON,
  type TextLookup,
  type Trees,
  type UnreadReason,
  type UnsyncedEntry,
} from "../../src/mirror/model/tree.ts";
import type { Action } from "../../src/mirror/model/action.ts";

/** A model of base and both sides in plain maps. Commands of users and steps of plans change it. */

type ModelFile = { text: string; ino: number; birthMs: number; nlink: number; fault: TextFault | null };
type ModelFolder = { ino: number; birthMs: number };
type ModelDocument = { path: string; text: string; changeId: ChangeId; protected: boolean };

export class World {
  readonly files = new Map<string, ModelFile>();
  readonly folders = new Map<string, ModelFolder>();
  readonly others = new Map<string, { kind: UnsyncedEntry["kind"]; ino: number }>();
  readonly unseen = new Map<string, string>();
  readonly documents = new Map<DocId, ModelDocument>();
  readonly dirs = new Map<DirId, string>();
  readonly records = new Map<DocId, DocumentRecord>();
  readonly dirRecords = new Map<DirId, FolderRecord>();
  readonly tombstones = new Map<DocId, Tombstone>();
  readonly conflicts = new Map<DocId, Conflict>();
  readonly blocks = new Map<string, Block>();
  readonly gone = new Set<DocId>();
  readonly outside = new Set<DocId>();
  readonly remoteUnseen = new Map<DocId, string>();
  /** Documents whose present version on the service mdmirror has read. */
  readonly read = new Set<DocId>();
  readonly texts = new Map<Digest, string>();
  ignored: (path: string) => boolean = () => false;
  disk: DiskNames = EXACT_DISK;
  inodesTrusted = true;
  complete = true;
  nothingKnown = false;
  foldersComplete = true;
  #count = 0;

  next(): number {
    return ++this.#count;
  }

  digest(text: string): Digest {
    const digest = digestOf(text);
    this.texts.set(digest, text);
    return digest;
  }

  stamp(file: ModelFile): Stamp {
    const { ino, birthMs, nlink } = file;
    return { dev: 1, ino, birthMs, nlink, size: file.text.length, mtimeMs: 0, ctimeMs: 0 };
  }

  /** Creates a file with a new inode. */
  write(path: string, text: string): void {
    const ino = this.next();
    this.files.set(path, { text, ino, birthMs: 1000 + ino, nlink: 1, fault: null });
  }

  makeFolder(path: string): void {
    if (path === "" || this.folders.has(path)) return;
    const ino = this.next();
    this.folders.set(path, { ino, birthMs: 1000 + ino });
  }

  makeFolders(path: string): void {
    for (const folder of ancestorsOf(path)) this.makeFolder(folder);
  }

  newChange(): ChangeId {
    return `chg_${this.next()}` as ChangeId;
  }

  newDocument(path: string, text: string): DocId {
    const id = `doc_${String(this.next()).padStart(3, "0")}` as DocId;
    this.documents.set(id, { path, text, changeId: this.newChange(), protected: false });
    return id;
  }

  newDir(path: string): DirId {
    for (const [id, at] of this.dirs) if (at === path) return id;
    const id = `dir_${String(this.next()).padStart(3, "0")}` as DirId;
    this.dirs.set(id, path);
    return id;
  }

  newDirs(path: string): void {
    for (const folder of ancestorsOf(path)) this.newDir(folder);
  }

  /** Creates a document with its folders, equal in base and on both sides. */
  synced(path: string, text: string, remotePath: string = path): DocId {
    this.makeFolders(path);
    this.newDirs(remotePath);
    this.write(path, text);
    const id = this.newDocument(remotePath, text);
    this.recordDocument(id, path);
    this.recordFolders();
    return id;
  }

  recordDocument(id: DocId, localPath: string): void {
    const document = this.documents.get(id)!;
    const file = this.files.get(localPath);
    this.records.set(id, {
      id,
      localPath,
      remotePath: document.path,
      changeId: document.changeId,
      digest: this.digest(document.text),
      localDigest: this.digest(file?.text ?? document.text),
      stamp: file === undefined ? null : this.stamp(file),
      stampTrusted: true,
      protected: document.protected,
      durable: true,
      echoDigest: null,
      submissions: [],
      state: "linked",
    });
  }

  recordFolders(): void {
    for (const [id, path] of this.dirs) {
      const folder = this.folders.get(path);
      if (folder !== undefined && !this.dirRecords.has(id))
        this.dirRecords.set(id, { id, localPath: path, remotePath: path, dev: 1, ...folder });
    }
  }

  patchRecord(id: DocId, patch: Partial<DocumentRecord>): void {
    this.records.set(id, { ...this.records.get(id)!, ...patch });
  }

  idAt(remotePath: string): DocId {
    for (const [id, document] of this.documents) if (document.path === remotePath) return id;
    for (const record of this.records.values()) if (record.remotePath === remotePath) return record.id;
    throw new Error(`no document at ${remotePath}`);
  }

  dirAt(remotePath: string): DirId {
    for (const [id, path] of this.dirs) if (path === remotePath) return id;
    throw new Error(`no folder at ${remotePath}`);
  }

  /**
   * Moves a local file, or a folder with its contents, and keeps the inodes. Replaces a file at
   * `to`, like `mv`.
   */
  moveLocal(from: string, to: string): void {
    for (const map of [this.files, this.others] as Map<string, unknown>[]) {
      const file = map.get(from);
      if (file === undefined) continue;
      map.delete(from);
      map.set(to, file);
      return;
    }
    if (!this.folders.has(from)) throw new Error(`nothing at ${from}`);
    for (const map of [this.files, this.folders, this.others] as Map<string, unknown>[]) {
      const inside = [...map].filter(([path]) => isWithin(path, from));
      for (const [path] of inside) map.delete(path);
      for (const [path, value] of inside) map.set(rebase(path, from, to), value);
    }
  }

  moveDir(id: DirId, to: string): void {
    const from = this.dirs.get(id)!;
    for (const [dir, path] of this.dirs) if (isWithin(path, from)) this.dirs.set(dir, rebase(path, from, to));
    for (const document of this.documents.values())
      if (isWithin(document.path, from)) document.path = rebase(document.path, from, to);
  }

  lookup(): TextLookup {
    return (digest) => this.texts.get(digest) ?? null;
  }
}

/** Returns the trees of the model, as the planner gets them. */

export function treesOf(world: World): Trees {
  return { base: baseOf(world), local: localOf(world), remote: remoteOf(world) };
}

function baseOf(world: World): BaseTree {
  return {
    records: new Map(world.records),
    dirs: new Map(world.dirRecords),
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
  const gone = [...world.records.keys()].filter((id) => world.gone.has(id) || isProvenGone(world, id));
  const goneFolders = [...world.dirRecords.keys()].filter((id) => foldersComplete && !world.dirs.has(id));
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

/** Returns the paths and contents of both sides, for comparison. */
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

function unreadOf(why: string): UnreadReason {
  return why === STILL_WRITTEN_REASON.kind ? STILL_WRITTEN_REASON : makeUnreadable(why);
}

/** Steps that the real disk or service would refuse. */

export type OfFolder = Extract<Action, { dirId: DirId | null } | { kind: "make-folder-remote" }>;
export type OfDocument = Exclude<Action, OfFolder>;

export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

export function isTakenLocally(world: World, path: string): boolean {
  return world.files.has(path) || world.folders.has(path) || world.others.has(path);
}

export function isTakenOnService(world: World, path: string): boolean {
  for (const document of world.documents.values()) if (document.path === path) return true;
  for (const dir of world.dirs.values()) if (dir === path) return true;
  return false;
}

export function hasRemoteFolder(world: World, path: string): boolean {
  return path === "" || [...world.dirs.values()].includes(path);
}
