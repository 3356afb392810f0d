import { type Digest, digestOf } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { EventSide, State, StoredOrigin, ContentOrigin } from "../ports/state.ts";
import type { Clock } from "../../common/clock.ts";
import { flushCommits, type SqliteDatabase, toDatabaseFault } from "./database.ts";
import { TableWithStatements } from "./table.ts";
import type { DocId } from "../../contract/ids.ts";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * LIMIT: number of contents in one commit, because SQLite cannot shorten the WAL during a long
 * transaction.
 */
const MAX_GROUP_WRITES = 1_024;
/**
 * LIMIT: number of digests that are remembered as stored, to save memory. This number of digests
 * takes about two megabytes.
 */
const MAX_KNOWN_DIGESTS = 16_384;
/**
 * Milliseconds after which content that is stored again gets a new time of last use. A more precise
 * time is not needed.
 */
const DAY_MS = 86_400_000;

/**
 * The content store: all contents by their digests, compressed, in a file of its own. Outside a
 * transaction of the state, each content is committed immediately. Within such a transaction,
 * contents are committed in groups, and always before the state. Contents are never rolled back,
 * because content to which no row refers does no harm.
 */
export class ContentStore extends TableWithStatements {
  readonly #clock: Clock;
  readonly #onDamage: () => void;
  /**
   * Contents that this process has stored, or compared with their digests: the time and the path.
   * For one day, storing the same content with the same path again does nothing.
   */
  readonly #checkedContents = new Map<Digest, { readonly at: number; readonly path: LocalPath }>();
  readonly #insert = this.sql("INSERT INTO texts (digest, codec, size, used, text) VALUES (?, ?, ?, ?, ?)");
  readonly #used = this.sql<[Buffer], { seq: number; used: number }>("SELECT seq, used FROM texts WHERE digest = ?");
  readonly #touch = this.sql("UPDATE texts SET used = ? WHERE digest = ?");
  readonly #select = this.sql<[Buffer], StoredText>("SELECT codec, size, text AS bytes FROM texts WHERE digest = ?");
  readonly #update = this.sql("UPDATE texts SET codec = ?, size = ?, used = ?, text = ? WHERE digest = ?");
  readonly #digests = this.sql<[], string>("SELECT lower(hex(digest)) FROM texts", "pluck");
  readonly #origins = new OriginTable(this.db);
  readonly #begin = this.sql("BEGIN IMMEDIATE");
  readonly #commit = this.sql("COMMIT");
  readonly #rollback = this.sql("ROLLBACK");
  /** True during a transaction of the state, in which contents are committed in groups. */
  #isGrouping = false;
  #openWrites = 0;
  /**
   * Row number of the first content that a power loss may remove; null if all contents are safe.
   */
  #unsafeFrom: number | null = 0;

  constructor(db: SqliteDatabase, clock: Clock, onDamage: () => void = () => undefined) {
    super(db);
    this.#clock = clock;
    this.#onDamage = onDamage;
  }

  /**
   * Stores content.
   * @throws on a lone surrogate, for which UTF-8 has no bytes and so no digest exists. Callers
   * block documents with such content
   */
  put(text: string, origin: ContentOrigin): Digest {
    const digest = digestOf(text);
    this.putKnown(digest, text, origin);
    return digest;
  }

  putKnown(digest: Digest, text: string, origin: ContentOrigin): void {
    const now = this.#clock.now();
    const checkedContent = this.#checkedContents.get(digest);
    if (checkedContent !== undefined && checkedContent.path === origin.path && now - checkedContent.at < DAY_MS) return;
    if (!text.isWellFormed()) throw new TypeError("a text with a lone surrogate cannot be stored");
    this.#reportDamage(() => this.#putKey(toKey(digest), digest, text, origin, now));
  }

  storedOrigins(wanted: Parameters<State["storedOrigins"]>[0]): StoredOrigin[] {
    return this.#reportDamage(() => this.#origins.find(wanted));
  }

  #putKey(key: Buffer, digest: Digest, text: string, origin: ContentOrigin, now: number): void {
    const storedUse = this.#used.get(key);
    if (storedUse === undefined) {
      const { codec, size, bytes } = encodeText(text);
      this.#writeInGroup(() => {
        const { lastInsertRowid } = this.#insert.run(key, codec, size, now, bytes);
        return this.#origins.put(Number(lastInsertRowid), origin, now);
      });
      this.#remember(digest, now, origin.path);
      return;
    }
    if (!this.#origins.has(storedUse.seq, origin.path))
      this.#writeInGroup(() => this.#origins.put(storedUse.seq, origin, now));
    if (now - storedUse.used >= DAY_MS) this.#touch.run(now, key);
    // Before a row refers to stored content, the content is compared with its digest. Damaged
    // content is replaced.
    if (this.get(digest) === null) this.#replace(key, text, now, storedUse.seq);
    this.#remember(digest, now, origin.path);
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
      if (toDatabaseFault(error)?.kind === "damaged") this.#onDamage();
      throw error;
    }
  }

  /** Returns content; null if it is missing or damaged. Does not keep the content in memory. */
  get(digest: Digest): string | null {
    const row = this.#reportDamage(() => this.#select.get(toKey(digest)));
    return row === undefined ? null : decodeProvenText(digest, row);
  }

  has(digest: Digest): boolean {
    return this.#reportDamage(() => this.#used.get(toKey(digest))) !== undefined;
  }

  digests(): Digest[] {
    return this.#digests.all() as Digest[];
  }

  /**
   * Makes all stored contents survive a power loss; other commits survive only after a checkpoint.
   * Does nothing if the content `digest` is already safe.
   */
  secure(digest?: Digest): void {
    if (this.#unsafeFrom === null) return;
    const storedRow = digest === undefined ? undefined : this.#used.get(toKey(digest));
    if (storedRow !== undefined && storedRow.seq < this.#unsafeFrom) return;
    this.#reportDamage(() => {
      this.#commitOpen();
      if (!this.db.memory) flushCommits(this.db);
    });
    this.#unsafeFrom = null;
  }

  #noteUnsafe(seq: number): void {
    this.#unsafeFrom = Math.min(seq, this.#unsafeFrom ?? seq);
  }

  /**
   * Forgets which contents were checked.
   * ORDER: called after contents were deleted, because a checked content may be missing then.
   */
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
   * Ends a group of writes after the transaction of the state failed. Commits the contents of the
   * group if possible.
   */
  abandon(): void {
    this.#isGrouping = false;
    try {
      this.#commitOpen();
    } catch {
      // This exception is not thrown, because the caller already gets the exception that caused the
      // rollback.
      this.#rollBack();
    }
    // Contents of the group may be missing now. Therefore each content is compared with its digest
    // again before a row refers to it.
    this.#checkedContents.clear();
  }

  /**
   * Runs a write in the open group of writes, or in a transaction of its own.
   * @param write returns the row number of the written content
   */
  #writeInGroup(write: () => number): void {
    if (this.#openWrites >= MAX_GROUP_WRITES) this.#commitOpen();
    if (this.#openWrites === 0) this.#begin.run();
    this.#openWrites++;
    let isWritten = false;
    try {
      this.#noteUnsafe(write());
      if (!this.#isGrouping) this.#commitOpen();
      isWritten = true;
    } finally {
      // The method that ends a group of writes does the rollback of the group.
      if (!isWritten && !this.#isGrouping) this.#rollBack();
    }
  }

  /**
   * Commits the open transaction.
   * @throws if an earlier write failed and rolled the transaction back, even if the caller caught
   * the exception of that write. Rows must not refer to missing contents
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

function toKey(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}

/**
 * Decodes stored content. Returns null for damaged content, which has another digest than `digest`.
 */
export function decodeProvenText(digest: Digest, row: StoredText): string | null {
  let text: string;
  try {
    text = decodeText(row);
  } catch {
    // The decoder reports damage by many different errors, each of which means that this copy is
    // lost.
    return null;
  }
  return digestOf(text) === digest ? text : null;
}

type SeenPathRow = [digest: Buffer, path: LocalPath, id: DocId | null, side: EventSide, why: string, at: number];
type OriginQuery = { path: string | null; id: string | null; formerPaths: string };

const SELECT_ORIGINS =
  "SELECT texts.digest, seen.path, seen.id, seen.side, seen.why, seen.at FROM seen JOIN texts ON texts.seq = seen.text";
const ORDER_BY_TIME = "ORDER BY seen.at, seen.text";

/**
 * Origins: the paths at which mdmirror saw contents, each with the time when the content was first
 * seen at the path. A row refers to content by its row number.
 */
class OriginTable extends TableWithStatements {
  readonly #insert = this.sql<[number, string, string | null, string, string, number]>(
    "INSERT OR REPLACE INTO seen (text, path, id, side, why, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  readonly #known = this.sql<[number, string], number>("SELECT 1 FROM seen WHERE text = ? AND path = ?", "pluck");
  readonly #all = this.sql<[], SeenPathRow>(`${SELECT_ORIGINS} ${ORDER_BY_TIME}`, "raw");
  readonly #some = this.sql<OriginQuery, SeenPathRow>(
    `${SELECT_ORIGINS} WHERE seen.path = @path OR seen.id = @id OR ` +
      `(seen.id IS NULL AND seen.path IN (SELECT value FROM json_each(@formerPaths))) ${ORDER_BY_TIME}`,
    "raw",
  );

  has(contentNumber: number, path: LocalPath): boolean {
    return this.#known.get(contentNumber, path) !== undefined;
  }

  /** Stores an origin. Returns the row number of the content. */
  put(contentNumber: number, { path, id, side, why }: ContentOrigin, time: number): number {
    this.#insert.run(contentNumber, path, id, side, why, time);
    return contentNumber;
  }

  find({ path, id, formerPaths }: Parameters<State["storedOrigins"]>[0]): StoredOrigin[] {
    const isAll = path === undefined && id === undefined && formerPaths === undefined;
    const parameters = { path: path ?? null, id: id ?? null, formerPaths: JSON.stringify(formerPaths ?? []) };
    return (isAll ? this.#all.all() : this.#some.all(parameters)).map(toStoredOrigin);
  }
}

function toStoredOrigin([digest, path, id, side, why, at]: SeenPathRow): StoredOrigin {
  return { digest: digest.toString("hex") as Digest, path, id, side, why, at };
}

/**
 * Stored content. `codec`: 0 for plain UTF-8, 1 for zstd. `size`: length of the content in UTF-8,
 * in bytes.
 */
export type StoredText = { readonly codec: number; readonly size: number; readonly bytes: Buffer };

const PLAIN_CODEC = 0;
const ZSTD_CODEC = 1;
/**
 * LIMIT: number of bytes from which content is compressed, because zstd's frame would take more
 * than the compression of shorter content saves.
 */
const MIN_COMPRESSED_BYTES = 256;

/** Compression level. Higher levels save little on notes, and take longer. */
const ZSTD_LEVEL = 1;

/** Encodes content for the store. The result is never longer than the content in UTF-8. */
export function encodeText(text: string): StoredText {
  const plainBytes = Buffer.from(text, "utf8");
  if (plainBytes.length >= MIN_COMPRESSED_BYTES) {
    // All output is one chunk, because Node's default chunk size would leave 16 kB of unused memory
    // for each content.
    const options = { chunkSize: plainBytes.length, params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } };
    const compressedBytes = zstdCompressSync(plainBytes, options);
    if (compressedBytes.length < plainBytes.length)
      return { codec: ZSTD_CODEC, size: plainBytes.length, bytes: compressedBytes };
  }
  return { codec: PLAIN_CODEC, size: plainBytes.length, bytes: plainBytes };
}

/**
 * Decodes stored content. `size` limits the length of the output, even for damaged bytes.
 * @throws if `encodeText` did not make the bytes
 */
export function decodeText(stored: StoredText): string {
  if (stored.codec === PLAIN_CODEC) return stored.bytes.toString("utf8");
  return zstdDecompressSync(stored.bytes, { maxOutputLength: Math.max(stored.size, 1) }).toString("utf8");
}
