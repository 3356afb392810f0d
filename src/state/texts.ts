import { type Digest, digestOf } from "../core/digest.ts";
import type { Clock } from "../core/ports/world.ts";
import { type Db, enterWal, faultOf } from "./database.ts";
import type { PackAside } from "./pack-aside.ts";
import { TextCache } from "./text-cache.ts";
import { decodeText, encodeText, type StoredText } from "./text-codec.ts";
import type { Companion } from "./transactions.ts";

/** LIMIT: memory for texts just used: some thousand documents of usual size. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** LIMIT: digests remembered as stored: some megabytes. */
const SURE_TEXTS = 100_000;
/** Within one transaction of the state, texts are committed in groups of so many: a long one does not grow the WAL without end. */
const GROUP_TEXTS = 512;
/** A text put again counts as used at that time; noted once a day, so that putting what is there writes nothing. */
const DAY_MS = 86_400_000;

type TextRow = { readonly codec: number; readonly size: number; readonly bytes: Buffer };

/**
 * The text store: every text version by its digest, compressed, in a file of its own. Outside a transaction of the state each text is
 * committed at once; within one, in groups that are committed before it is. Texts are never rolled back: a text that nothing names is harmless.
 */
export class TextStore implements Companion {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #onDamage: () => void;
  readonly #aside: PackAside | null;
  readonly #cache = new TextCache(CACHE_BYTES);
  /** Texts that this process has written or proven, and when: for a day they need not be read again to be relied on. */
  readonly #sure = new Map<Digest, number>();
  readonly #statements;
  #inWal = false;
  /** Nothing was stored since the last `secure`. */
  #secured = false;
  #grouping = false;
  #grouped = 0;

  /**
   * @param onDamage told when a page is met that is not as SQLite wrote it, before the exception goes on to the caller
   * @param aside null: each text is packed when it is put
   */
  constructor(db: Db, clock: Clock, onDamage: () => void = () => undefined, aside: PackAside | null = null) {
    this.#db = db;
    this.#clock = clock;
    this.#onDamage = onDamage;
    this.#aside = aside;
    this.#statements = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      rollback: db.prepare("ROLLBACK"),
      insert: db.prepare("INSERT INTO texts (digest, codec, size, used, text) VALUES (?, ?, ?, ?, ?)"),
      used: db.prepare<[Buffer], { used: number }>("SELECT used FROM texts WHERE digest = ?"),
      touch: db.prepare("UPDATE texts SET used = ? WHERE digest = ?"),
      select: db.prepare<[Buffer], TextRow>("SELECT codec, size, text AS bytes FROM texts WHERE digest = ?"),
      replace: db.prepare("UPDATE texts SET codec = ?, size = ?, used = ?, text = ? WHERE digest = ?"),
    };
  }

  /** @throws on a lone surrogate: it has no bytes, so no digest names it; callers hold such texts back */
  put(text: string): Digest {
    const digest = digestOf(text);
    this.putKnown(digest, text);
    return digest;
  }

  putKnown(digest: Digest, text: string): void {
    const now = this.#clock.now();
    if (now - (this.#sure.get(digest) ?? Number.NEGATIVE_INFINITY) < DAY_MS) return;
    if (!text.isWellFormed()) throw new TypeError("a text with a lone surrogate cannot be stored");
    this.#watch(() => this.#putKey(keyOf(digest), digest, text, now));
  }

  prepare(digest: Digest, text: string): void {
    if (!this.#sure.has(digest) && text.isWellFormed()) this.#aside?.prepare(digest, text);
  }

  #putKey(key: Buffer, digest: Digest, text: string, now: number): void {
    const packed = this.#aside?.take(digest) ?? null;
    const known = this.#statements.used.get(key);
    if (known === undefined) {
      const { codec, size, bytes } = packed ?? encodeText(text);
      this.#group();
      this.#secured = false;
      this.#statements.insert.run(key, codec, size, now, bytes);
      // Of many that are stored one after the other none is asked for soon, and each would grow old before it is let go.
      if (packed === null) this.#cache.set(digest, text);
      this.#remember(digest, now);
      return;
    }
    if (now - known.used >= DAY_MS) {
      this.#beforeWrite();
      this.#statements.touch.run(now, key);
    }
    // The stored text is read and proven before it is relied on: one damaged on disk is replaced by this good one.
    if (!this.#cache.has(digest) && this.get(digest) === null) this.#replace(key, digest, text, now);
    this.#remember(digest, now);
  }

  #remember(digest: Digest, at: number): void {
    if (this.#sure.size >= SURE_TEXTS) this.#sure.clear();
    this.#sure.set(digest, at);
  }

  #replace(key: Buffer, digest: Digest, text: string, now: number): void {
    const { codec, size, bytes } = encodeText(text);
    this.#beforeWrite();
    this.#secured = false;
    this.#statements.replace.run(codec, size, now, bytes, key);
    this.#cache.set(digest, text);
  }

  #watch<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (faultOf(error)?.kind === "damaged") this.#onDamage();
      throw error;
    }
  }

  /** null where there is none, and where what is stored is not that text any more: a digest proves its text. */
  get(digest: Digest): string | null {
    const cached = this.#cache.get(digest);
    if (cached !== undefined) return cached;
    const row = this.#watch(() => this.#statements.select.get(keyOf(digest)));
    const text = row === undefined ? null : provenText(digest, row);
    if (text !== null) this.#cache.set(digest, text);
    return text;
  }

  has(digest: Digest): boolean {
    return this.#cache.has(digest) || this.#watch(() => this.#statements.used.get(keyOf(digest))) !== undefined;
  }

  /** Whether the file holds it and it proves itself; past the cache. */
  isSound(digest: Digest): boolean {
    const row = this.#statements.select.get(keyOf(digest));
    return row !== undefined && provenText(digest, row) !== null;
  }

  /** What is stored outlives a power cut from here on. A commit alone does not: with `synchronous = NORMAL` the WAL is fsynced by checkpoints. */
  secure(): void {
    if (this.#secured) return;
    this.#commitGroup();
    if (!this.#db.memory) this.#watch(() => this.#db.pragma("wal_checkpoint(PASSIVE)"));
    this.#secured = true;
  }

  forget(digest: Digest): void {
    this.#cache.delete(digest);
    this.#sure.delete(digest);
  }

  begin(): void {
    this.#grouping = true;
    this.#grouped = 0;
  }

  commit(): void {
    this.#grouping = false;
    this.#commitGroup();
  }

  /** After the state rolled back. */
  abandon(): void {
    this.#grouping = false;
    try {
      this.#commitGroup();
    } catch {
      // The exception that made the state roll back is on its way to the caller, and matters more.
      if (this.#db.inTransaction) this.#statements.rollback.run();
    }
    // What was in a group that did not commit must not be found in memory alone.
    this.#cache.clear();
    this.#sure.clear();
  }

  /** WAL mode from the first write on. While a reader keeps the file from it, commits are as safe, and slower. */
  #beforeWrite(): void {
    if (this.#inWal || this.#db.inTransaction) return;
    try {
      enterWal(this.#db);
      this.#inWal = true;
    } catch (error) {
      if (faultOf(error)?.kind !== "unusable") throw error;
    }
  }

  #group(): void {
    this.#beforeWrite();
    if (!this.#grouping) return;
    if (this.#grouped >= GROUP_TEXTS) this.#commitGroup();
    if (this.#grouped === 0) this.#statements.begin.run();
    this.#grouped++;
  }

  /** @throws also when a failed write had rolled the group back, were that exception caught: rows must not name what is not there */
  #commitGroup(): void {
    if (this.#grouped === 0) return;
    this.#statements.commit.run();
    this.#grouped = 0;
  }
}

function keyOf(digest: Digest): Buffer {
  return Buffer.from(digest, "hex");
}

/** The text of a row, if its bytes are still that text. */
export function provenText(digest: Digest, row: StoredText): string | null {
  let text: string;
  try {
    text = decodeText(row);
  } catch {
    // zlib refuses damaged frames in many ways; each says the same: the text is lost here.
    return null;
  }
  return digestOf(text) === digest ? text : null;
}
