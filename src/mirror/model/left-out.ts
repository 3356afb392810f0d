import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { DiskNames, LocalPath, RemotePath } from "../../contract/path.ts";
import { type DocumentPaths, type DocumentRecord, isAway, type Stamp } from "./record.ts";
import type { LeftOut, LocalFile, RemoteFile, Trees } from "./tree.ts";
import { EMPTY_DIGEST } from "../../contract/digest.ts";
import { hasNoPendingChange } from "./base.ts";

export const NOTHING_LEFT_OUT: LeftOut = { count: 0, documents: () => [], idAt: () => null, record: () => null };

/** Yields the paths of all local files, including files that the trees leave out. */
export function* generateLocalPaths({ local, leftOut = NOTHING_LEFT_OUT }: Trees): Generator<LocalPath> {
  yield* local.files.keys();
  for (const { localPath } of leftOut.documents()) yield localPath;
}

/**
 * Yields the paths of all documents on the service, including documents that the trees leave out.
 */
export function* generateRemotePaths({ remote, leftOut = NOTHING_LEFT_OUT }: Trees): Generator<RemotePath> {
  for (const { path } of remote.files.values()) yield path;
  for (const { remotePath } of leftOut.documents()) yield remotePath;
}

/** Returns true if a synced file is at the path, even if the trees leave out the file. */
export function hasFileAt({ local, leftOut = NOTHING_LEFT_OUT }: Trees, path: LocalPath): boolean {
  return local.files.has(path) || leftOut.idAt(path) !== null;
}

export function includeDocuments(trees: Trees, ids: Iterable<DocId>): Trees {
  const { leftOut } = trees;
  if (leftOut === undefined) return trees;
  const recordsToInclude = new Map<DocId, DocumentRecord>();
  for (const id of ids) {
    const record = leftOut.record(id);
    if (record !== null) recordsToInclude.set(id, record);
  }
  if (recordsToInclude.size === 0) return trees;
  const records = [...recordsToInclude.values()];
  return {
    base: { ...trees.base, records: new Map([...trees.base.records, ...recordsToInclude]) },
    local: {
      ...trees.local,
      files: new Map([
        ...trees.local.files,
        ...records.map((record) => [record.localPath, toLocalFile(record)!] as const),
      ]),
    },
    remote: {
      ...trees.remote,
      files: new Map([...trees.remote.files, ...records.map((record) => [record.id, toRemoteFile(record)] as const)]),
    },
    leftOut: excludeFromLeftOut(leftOut, recordsToInclude),
  };
}

export function includeAllDocuments(trees: Trees): Trees {
  const { base, local, remote } = includeDocuments(
    trees,
    Array.from(trees.leftOut?.documents() ?? [], ({ id }) => id),
  );
  return { base, local, remote };
}

function excludeFromLeftOut(leftOut: LeftOut, taken: ReadonlyMap<DocId, DocumentRecord>): LeftOut {
  return {
    count: leftOut.count - taken.size,
    documents: function* () {
      for (const document of leftOut.documents()) if (!taken.has(document.id)) yield document;
    },
    idAt: (path) => {
      const id = leftOut.idAt(path);
      return id === null || taken.has(id) ? null : id;
    },
    record: (id) => (taken.has(id) ? null : leftOut.record(id)),
  };
}

export function toRemoteFile({ id, remotePath: path, changeId, protected: isProtected }: DocumentRecord): RemoteFile {
  return { id, path, changeId, protected: isProtected };
}

/** Returns an unchanged file as a scan would show it; null if the record has no stamp. */
export function toLocalFile({
  localPath: path,
  stamp,
  stampTrusted,
  localDigest: digest,
}: DocumentRecord): LocalFile | null {
  if (stamp === null) return null;
  return { path, stamp, stampTrusted, digest, textFault: null, empty: stamp.size === 0 };
}

/**
 * Bits for each record.
 * - `PLAIN`: the trees may leave out the document while both sides have it as recorded. Not set if
 *   a fact is pending or uncertain: a review, an untrusted stamp, a second record with this path.
 * - `LOCAL`: the last scan found the document's file as recorded.
 * - `LISTED`: the last listing shows the document as recorded.
 * - `PROTECTED`: the document is protected.
 */
const [PLAIN, LOCAL, LISTED, PROTECTED] = [1, 2, 4, 8];
const UNCHANGED_MARKS = PLAIN | LOCAL | LISTED;

/** Fields of a stamp, in their order in the column. */
const STAMP_FIELDS = [
  "dev",
  "ino",
  "size",
  "mtimeMs",
  "ctimeMs",
  "birthMs",
  "nlink",
] as const satisfies (keyof Stamp)[];

/**
 * The parts of all records with which scans and listings are compared. Columns take a fraction of
 * the memory of objects. Each record has an index, from 0, which is the same in all columns.
 */
export class RecordColumns {
  readonly #ids = new StringBuffer();
  readonly #changeIds = new StringBuffer();
  readonly #localPaths: LocalPath[] = [];
  readonly #byPath = new Map<LocalPath, number>();
  /** Paths on the service by the record's index, only for records whose two paths differ. */
  readonly #remotePaths = new Map<number, RemotePath>();
  readonly #byRemotePath = new Map<RemotePath, number>();
  /**
   * Last local paths of documents that were moved out of the linked part of the workspace and have
   * no local file.
   */
  readonly #awayFrom = new Set<LocalPath>();
  #stamps = new Float64Array(STAMP_FIELDS.length * 1024);
  #marks = new Uint8Array(1024);
  localCount = 0;
  readonly #disk: DiskNames;
  readonly #readRecord: (id: DocId) => DocumentRecord | null;

  constructor(disk: DiskNames, readRecord: (id: DocId) => DocumentRecord | null) {
    this.#disk = disk;
    this.#readRecord = readRecord;
  }

  add(record: DocumentRecord): void {
    const { id, localPath, remotePath, stamp } = record;
    const recordNumber = this.#localPaths.push(localPath) - 1;
    const otherNumber = this.#byPath.get(localPath);
    // If two records have one local path, the plan must decide to which document the file belongs.
    if (otherNumber !== undefined) this.#marks[otherNumber]! &= ~PLAIN;
    const mayBeLeftOut = otherNumber === undefined && !this.#awayFrom.has(localPath) && this.#isPlain(record);
    this.#ids.push(id);
    this.#changeIds.push(record.changeId);
    if (remotePath !== localPath) {
      this.#remotePaths.set(recordNumber, remotePath);
      this.#byRemotePath.set(remotePath, recordNumber);
    }
    if (recordNumber === this.#marks.length) this.#grow();
    if (stamp !== null)
      for (let field = 0; field < STAMP_FIELDS.length; field++)
        this.#stamps[recordNumber * STAMP_FIELDS.length + field] = stamp[STAMP_FIELDS[field]!];
    this.#marks[recordNumber] = (mayBeLeftOut ? PLAIN : 0) | (record.protected ? PROTECTED : 0);
    if (isAway(record)) this.#awayFrom.add(localPath);
    else this.#byPath.set(localPath, recordNumber);
  }

  #isPlain(record: DocumentRecord): boolean {
    const { stamp, stampTrusted, durable, digest } = record;
    return (
      stamp !== null &&
      stampTrusted &&
      durable &&
      digest !== EMPTY_DIGEST &&
      hasNoPendingChange(record, { disk: this.#disk })
    );
  }

  #grow(): void {
    const [stamps, marks] = [this.#stamps, this.#marks];
    this.#stamps = new Float64Array(2 * stamps.length);
    this.#stamps.set(stamps);
    this.#marks = new Uint8Array(2 * marks.length);
    this.#marks.set(marks);
  }

  /** Keeps a document in all trees, because base has a pending change for the document. */
  keep(id: DocId): void {
    this.#unmark(id, PLAIN);
  }

  #unmark(id: DocId, mark: number): void {
    const record = this.#localPaths.length === 0 ? null : this.#readRecord(id);
    const index = record === null ? undefined : this.#byPath.get(record.localPath);
    if (index !== undefined && this.#ids.at(index) === id) this.#marks[index]! &= ~mark;
  }

  /**
   * Returns the index of the record with this path and stamp; null without such a record, or if the
   * trees must contain the document.
   */
  numberOf(path: LocalPath, stamp: Stamp): number | null {
    const index = this.#byPath.get(path);
    if (index === undefined || !this.#has(index, PLAIN)) return null;
    const isSame = STAMP_FIELDS.every((key, field) => this.#stamps[index * STAMP_FIELDS.length + field] === stamp[key]);
    return isSame ? index : null;
  }

  /** Records which files the last scan found unchanged, by the indexes from `numberOf`. */
  noteLocal(numbers: readonly number[]): void {
    this.localCount = numbers.length;
    this.#clear(LOCAL);
    for (const index of numbers) this.#marks[index]! |= LOCAL;
  }

  /** Forgets the previous listing. Called before the first item of a new listing. */
  beginList(): void {
    this.#clear(LISTED);
  }

  #clear(mark: number): void {
    for (const index of this.#localPaths.keys()) this.#marks[index]! &= ~mark;
  }

  /**
   * Compares a listed document with its record: version, place and protection.
   * - `taken`: the document is as recorded.
   * - `again`: the document is as recorded, and is listed for the second time.
   * - `left`: the document differs from its record, or has no record, so the tree must contain the
   *   document.
   */
  markListed({ id, path, changeId, protected: isProtected }: RemoteFile): "taken" | "again" | "left" {
    const index = this.#byRemotePath.get(path) ?? this.#byPath.get(path);
    if (index === undefined || this.#remotePath(index) !== path) return "left";
    if (this.#ids.at(index) !== id || this.#changeIds.at(index) !== changeId) return "left";
    if (this.#has(index, PROTECTED) !== isProtected) return "left";
    const wasListed = this.#has(index, LISTED);
    this.#marks[index]! |= LISTED;
    return wasListed ? "again" : "taken";
  }

  at(path: LocalPath): DocumentRecord | null {
    const id = this.idAt(path);
    return id === null ? null : this.#readRecord(id);
  }

  idAt(path: LocalPath): DocId | null {
    const index = this.#byPath.get(path);
    return index === undefined ? null : this.#id(index);
  }

  /**
   * Returns the records of documents that the listing lacks or shows with a difference.
   * @param others documents that the listing shows with a difference, although a second item in the
   * listing may be as recorded
   */
  unlisted(others: Iterable<DocId>): Map<DocId, DocumentRecord> {
    for (const id of others) this.#unmark(id, LISTED);
    return new Map(this.#recordsWithout(LISTED).map(([record]) => [record.id, record]));
  }

  *listed(): Generator<RemoteFile> {
    for (const index of this.#localPaths.keys()) {
      if (!this.#has(index, LISTED)) continue;
      const changeId = this.#changeIds.at(index) as ChangeId;
      const isProtected = this.#has(index, PROTECTED);
      yield { id: this.#id(index), path: this.#remotePath(index), changeId, protected: isProtected };
    }
  }

  /**
   * Completes the trees of a scan and a listing by the documents that only one side has as
   * recorded.
   * @param seen trees with everything that differs from the records
   * @returns trees without the documents that both sides have as recorded
   */
  complete(seen: Trees): Trees {
    // A first sync has no records, and a copy of its trees would take much memory.
    if (this.#localPaths.length === 0) return seen;
    const records = new Map<DocId, DocumentRecord>();
    const files = new Map(seen.local.files);
    const listedFiles = new Map(seen.remote.files);
    for (const [record, index] of this.#recordsWithout(UNCHANGED_MARKS)) {
      records.set(record.id, record);
      if (this.#has(index, LOCAL)) files.set(record.localPath, toLocalFile(record)!);
      if (this.#has(index, LISTED) && !listedFiles.has(record.id)) listedFiles.set(record.id, toRemoteFile(record));
    }
    return {
      base: { ...seen.base, records },
      local: { ...seen.local, files },
      remote: { ...seen.remote, files: listedFiles },
      leftOut: this.#leftOut(),
    };
  }

  #leftOut(): LeftOut {
    const isUnchanged = (index: number | undefined) => index !== undefined && this.#has(index, UNCHANGED_MARKS);
    return {
      count: this.#localPaths.keys().reduce((count, index) => count + Number(isUnchanged(index)), 0),
      documents: () => this.#unchanged(),
      idAt: (path) => (isUnchanged(this.#byPath.get(path)) ? this.idAt(path) : null),
      record: (id) => {
        const record = this.#readRecord(id);
        return record !== null && isUnchanged(this.#byPath.get(record.localPath)) ? record : null;
      },
    };
  }

  /**
   * Returns the records that lack at least one of these bits, each with its index. Leaves out
   * records that were removed meanwhile.
   */
  #recordsWithout(marks: number): [DocumentRecord, number][] {
    const records: [DocumentRecord, number][] = [];
    for (const index of this.#localPaths.keys()) {
      const record = this.#has(index, marks) ? null : this.#readRecord(this.#id(index));
      if (record !== null) records.push([record, index]);
    }
    return records;
  }

  *#unchanged(): Generator<DocumentPaths> {
    for (const [index, localPath] of this.#localPaths.entries())
      if (this.#has(index, UNCHANGED_MARKS))
        yield { id: this.#id(index), localPath, remotePath: this.#remotePath(index) };
  }

  #id(index: number): DocId {
    return this.#ids.at(index) as DocId;
  }

  #remotePath(index: number): RemotePath {
    return this.#remotePaths.get(index) ?? this.#localPaths[index]!;
  }

  #has(index: number, marks: number): boolean {
    return (this.#marks[index]! & marks) === marks;
  }
}

/** One buffer for many strings, which takes less memory than separate strings. */
class StringBuffer {
  #bytes = Buffer.alloc(1 << 15);
  readonly #ends: number[] = [0];

  push(text: string): void {
    const end = this.#ends.at(-1)!;
    if (end + text.length > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length + text.length);
    this.#ends.push(end + this.#bytes.write(text, end, "latin1"));
  }

  at(index: number): string {
    return this.#bytes.toString("latin1", this.#ends[index], this.#ends[index + 1]);
  }
}
