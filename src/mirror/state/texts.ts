import { type Digest, digestOf } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { StoredName, State, TextName, EventSide } from "../ports/state.ts";
import type { Clock } from "../../common/clock.ts";
import { type Db, faultOf } from "./database.ts";
import { WithStatements } from "./statement.ts";
import { flushCommits } from "./wal-mode.ts";
import { decodeText, encodeText, type StoredText } from "./text-codec.ts";
import type { DocId } from "../../contract/ids.ts";

/**
 * LIMIT: writes in one commit, within a transaction of the state. In a long transaction, the WAL
 * would otherwise grow without limit.
 */
const GROUP_WRITES = 1_024;
/** LIMIT: digests that are remembered as stored; all together take two megabytes. */
const MAX_KNOWN_DIGESTS = 16_384;
/**
 * Milliseconds between two updates of a content's time of use. Content that is stored again counts
 * as used at that time; at most one update a day is written.
 */
const DAY_MS = 86_400_000;

/**
 * The content store: all contents by digest, compressed, in a separate file. Outside a transaction
 * of the state, each content is committed immediately; within a transaction, in groups that are
 * committed before the state. Contents are never rolled back, because content without a reference
 * does no harm.
 */
export class TextStore extends WithStatements {
  readonly #clock: Clock;
  readonly #onDamage: () => void;
  /**
   * Contents that this process has written or checked, with the time and the last path. For a day,
   * rows may refer to these contents without another check.
   */
  readonly #checkedContents = new Map<Digest, { readonly at: number; readonly path: LocalPath }>();
  readonly #insert = this.sql("INSERT INTO texts (digest, codec, size, used, text) VALUES (?, ?, ?, ?, ?)");
  readonly #used = this.sql<[Buffer], { seq: number; used: number }>("SELECT seq, used FROM texts WHERE digest = ?");
  readonly #touch = this.sql("UPDATE texts SET used = ? WHERE digest = ?");
  readonly #select = this.sql<[Buffer], StoredText>("SELECT codec, size, text AS bytes FROM texts WHERE digest = ?");
  readonly #update = this.sql("UPDATE texts SET codec = ?, size = ?, used = ?, text = ? WHERE digest = ?");
  readonly #digests = this.sql<[], string>("SELECT lower(hex(digest)) FROM texts", "pluck");
  readonly #names = new NameTable(this.db);
  readonly #begin = this.sql("BEGIN IMMEDIATE");
  readonly #commit = this.sql("COMMIT");
  readonly #rollback = this.sql("ROLLBACK");
  /** True while a transaction of the state is open; writes are then collected in one group. */
  #isGrouping = false;
  /** Number of writes in the open transaction. */
  #openWrites = 0;
  /** Number of the oldest content that a power loss may remove; null if there is none. */
  #unsafeFrom: number | null = 0;

  /**
   * Opens the store.
   * @param onDamage called when SQLite finds a damaged page, before the caller receives the
   * exception
   */
  constructor(db: Db, clock: Clock, onDamage: () => void = () => undefined) {
    super(db);
    this.#clock = clock;
    this.#onDamage = onDamage;
  }

  /**
   * Stores content.
   * @throws on a lone surrogate, which has no bytes and so no digest; callers block documents with
   * such content
   */
  put(text: string, name: TextName): Digest {
    const digest = digestOf(text);
    this.putKnown(digest, text, name);
    return digest;
  }

  /**
   * Stores content whose digest is known.
   * @param text content with that digest
   */
  putKnown(digest: Digest, text: string, name: TextName): void {
    const now = this.#clock.now();
    const sure = this.#checkedContents.get(digest);
    if (sure !== undefined && sure.path === name.path && now - sure.at < DAY_MS) return;
    if (!text.isWellFormed()) throw new TypeError("a text with a lone surrogate cannot be stored");
    this.#reportDamage(() => this.#putKey(keyOf(digest), digest, text, name, now));
  }

  storedNames(wanted: Parameters<State["storedNames"]>[0]): StoredName[] {
    return this.#reportDamage(() => this.#names.find(wanted));
  }

  #putKey(key: Buffer, digest: Digest, text: string, name: TextName, now: number): void {
    const known = this.#used.get(key);
    if (known === undefined) {
      const { codec, size, bytes } = encodeText(text);
      this.#writeInGroup(() => {
        const { lastInsertRowid } = this.#insert.run(key, codec, size, now, bytes);
        return this.#names.put(Number(lastInsertRowid), name, now);
      });
      this.#remember(digest, now, name.path);
      return;
    }
    if (!this.#names.has(known.seq, name.path)) this.#writeInGroup(() => this.#names.put(known.seq, name, now));
    if (now - known.used >= DAY_MS) this.#touch.run(now, key);
    // The stored content is read and checked before rows may refer to it. If damaged, it is
    // replaced.
    if (this.get(digest) === null) this.#replace(key, text, now, known.seq);
    this.#remember(digest, now, name.path);
  }

  #remember(digest: Digest, time: number, path: LocalPath): void {
    if (this.#checkedContents.size >= MAX_KNOWN_DIGESTS) this.#checkedContents.clear();
    this.#checkedContents.set(digest, { at: time, path });
  }

  #replace(key: Buffer, text: string, now: number, seq: number): void {
    const { codec, size, bytes } = encodeText(text);
    this.#noteUnsafe(seq);
    this.#update.run(codec, size, now, bytes, key);
  }

  #reportDamage<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (faultOf(error)?.kind === "damaged") this.#onDamage();
      throw error;
    }
  }

  /**
   * Returns the content of a digest; null if the store lacks it, or if the stored bytes do not have
   * this digest. Keeps nothing in memory.
   */
  get(digest: Digest): string | null {
    const row = this.#reportDamage(() => this.#select.get(keyOf(digest)));
    return row === undefined ? null : provenText(digest, row);
  }

  has(digest: Digest): boolean {
    return this.#reportDamage(() => this.#used.get(keyOf(digest))) !== undefined;
  }

  digests(): Digest[] {
    return this.#digests.all() as Digest[];
  }

  /**
   * Makes everything stored so far survive a power loss. Does nothing if `digest` is passed and
   * this content is already safe. Without this call, commits survive a power loss only after a
   * checkpoint.
   */
  secure(digest?: Digest): void {
    if (this.#unsafeFrom === null) return;
    const known = digest === undefined ? undefined : this.#used.get(keyOf(digest));
    if (known !== undefined && known.seq < this.#unsafeFrom) return;
    this.#reportDamage(() => {
      this.#commitOpen();
      if (!this.db.memory) flushCommits(this.db);
    });
    this.#unsafeFrom = null;
  }

  #noteUnsafe(seq: number): void {
    this.#unsafeFrom = Math.min(seq, this.#unsafeFrom ?? seq);
  }

  /** Forgets which contents were written or checked, because some contents were deleted. */
  forgetChecked(): void {
    this.#checkedContents.clear();
  }

  begin(): void {
    this.#isGrouping = true;
    this.#openWrites = 0;
  }

  commit(): void {
    this.#isGrouping = false;
    this.#commitOpen();
  }

  /**
   * Called after the state was rolled back. Stored contents are committed if possible, not rolled
   * back.
   */
  abandon(): void {
    this.#isGrouping = false;
    try {
      this.#commitOpen();
    } catch {
      // The caller already receives the exception that rolled the state back, which is the
      // important one.
      this.#rollBack();
    }
    // Content of a transaction that was not committed is not stored.
    this.#checkedContents.clear();
  }

  /**
   * Runs a write of content, or of a name of content: in the open group, or in a transaction of its
   * own.
   * @param write returns the number of the content
   */
  #writeInGroup(write: () => number): void {
    if (this.#openWrites >= GROUP_WRITES) this.#commitOpen();
    if (this.#openWrites === 0) this.#begin.run();
    this.#openWrites++;
    let isWritten = false;
    try {
      this.#noteUnsafe(write());
      if (!this.#isGrouping) this.#commitOpen();
      isWritten = true;
    } finally {
      // The code that began a group also rolls it back.
      if (!isWritten && !this.#isGrouping) this.#rollBack();
    }
  }

  /**
   * Commits the open transaction.
   * @throws also if a failed write has rolled the transaction back and that exception was caught:
   * rows must not refer to missing contents
   */
  #commitOpen(): void {
    if (this.#openWrites === 0) return;
    this.#commit.run();
    this.#openWrites = 0;
  }

  #rollBack(): void {
    this.#openWrites = 0;
    if (this.db.inTransaction) this.#rollback.run();
  }
}

function keyOf(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}

/** Returns the content of a row, if its bytes still have this digest; otherwise null. */
export function provenText(digest: Digest, row: StoredText): string | null {
  let text: string;
  try {
    text = decodeText(row);
  } catch {
    // zlib refuses damaged data with many different errors. Each means that the local copy of the
    // content is lost.
    return null;
  }
  return digestOf(text) === digest ? text : null;
}

type SeenRow = [digest: Buffer, path: LocalPath, id: DocId | null, side: EventSide, why: string, at: number];
type NameQuery = { path: string | null; id: string | null; formerPaths: string };

const SELECT =
  "SELECT texts.digest, seen.path, seen.id, seen.side, seen.why, seen.at FROM seen JOIN texts ON texts.seq = seen.text";
const ORDER_BY = "ORDER BY seen.at, seen.text";

/**
 * Paths under which contents were stored, with the first time: one row for each content and path. A
 * row refers to content by its number in `texts`.
 */
class NameTable extends WithStatements {
  readonly #insert = this.sql<[number, string, string | null, string, string, number]>(
    "INSERT OR REPLACE INTO seen (text, path, id, side, why, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  readonly #known = this.sql<[number, string], number>("SELECT 1 FROM seen WHERE text = ? AND path = ?", "pluck");
  readonly #all = this.sql<[], SeenRow>(`${SELECT} ${ORDER_BY}`, "raw");
  readonly #some = this.sql<NameQuery, SeenRow>(
    `${SELECT} WHERE seen.path = @path OR seen.id = @id OR ` +
      `(seen.id IS NULL AND seen.path IN (SELECT value FROM json_each(@formerPaths))) ${ORDER_BY}`,
    "raw",
  );

  has(contentNumber: number, path: LocalPath): boolean {
    return this.#known.get(contentNumber, path) !== undefined;
  }

  /** @returns the number of the content */
  put(contentNumber: number, { path, id, side, why }: TextName, time: number): number {
    this.#insert.run(contentNumber, path, id, side, why, time);
    return contentNumber;
  }

  find({ path, id, formerPaths }: Parameters<State["storedNames"]>[0]): StoredName[] {
    const isAll = path === undefined && id === undefined && formerPaths === undefined;
    const wanted = { path: path ?? null, id: id ?? null, formerPaths: JSON.stringify(formerPaths ?? []) };
    return (isAll ? this.#all.all() : this.#some.all(wanted)).map(storedNameOf);
  }
}

function storedNameOf([digest, path, id, side, why, at]: SeenRow): StoredName {
  return { digest: digest.toString("hex") as Digest, path, id, side, why, at };
}
