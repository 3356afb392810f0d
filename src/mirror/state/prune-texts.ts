import type { Digest } from "../../contract/digest.ts";
import type { Db } from "./database.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import { Statement } from "./statement.ts";
import type { TextStore } from "./texts.ts";

/** Rows in one slice. */
const LOOKED_AT = 2_000;
const DELETED = 256;

type IdleRow = { readonly seq: number; readonly digest: Buffer; readonly since: number };

/**
 * Deletes idle contents, which no row of the state names. `idle.since` is when pruning first found
 * that; storing content again renews `texts.used`.
 */
export class TextPruning {
  readonly #store: TextStore;
  readonly #referenced: ReferencedTexts;
  readonly #statements;
  readonly #inOne: (work: () => void) => void;

  constructor(state: Db, texts: Db, store: TextStore, referenced: ReferencedTexts) {
    this.#store = store;
    this.#referenced = referenced;
    this.#statements = prepareAll(state, texts);
    this.#inOne = texts.transaction((work: () => void) => work());
  }

  /**
   * Walks the index of digests: records since when each content is idle, and removes that for
   * contents that are named again.
   */
  *markIdle(now: number): Generator<void> {
    const { page, mark, unmark } = this.#statements;
    const named = this.#fresh(() => this.#referenced.all());
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const rows = page.all(after, LOOKED_AT);
      if (rows.length === 0) return;
      const names = named();
      this.#inOne(() => {
        for (const { seq, digest, since } of rows) {
          const isNamed = names.has(digestOfKey(digest));
          if (isNamed && since !== null) unmark.run(seq);
          // A time in the future comes from a clock that was wrong.
          if (!isNamed && (since === null || since > now)) mark.run(seq, now);
        }
      });
      after = rows.at(-1)!.digest;
      yield;
    }
  }

  /** Returns how many were deleted. */
  *deleteExpired(cutoff: number): Generator<void, number> {
    const named = this.#fresh(() => this.#referenced.all());
    let deleted = 0;
    for (let after = 0; ; ) {
      const rows = this.#statements.expired.all({ cutoff, after, limit: DELETED });
      if (rows.length === 0) return deleted;
      const names = named();
      const expired = rows.filter(({ digest }) => !names.has(digestOfKey(digest)));
      this.#inOne(() => {
        for (const row of expired) this.#drop(row);
      });
      deleted += expired.length;
      after = rows.at(-1)!.seq;
      yield;
    }
  }

  /**
   * @param before contents stored later are left alone, because an action may be about to name them
   * @returns how many were deleted
   */
  *deleteOver(bytes: number, before: number): Generator<void, number> {
    const named = this.#fresh(() => this.#referenced.all());
    const versions = this.#fresh(() => this.#referenced.versions());
    let deleted = 0;
    let [since, after] = [0, 0];
    while (this.#bytesUsed() > bytes) {
      const rows = this.#statements.oldestIdle.all({ before, since, after, limit: DELETED });
      const last = rows.at(-1);
      if (last === undefined) break;
      const [names, known] = [named(), versions()];
      this.#inOne(() => {
        for (const row of rows) {
          const digest = digestOfKey(row.digest);
          if (names.has(digest) || !known.has(digest) || this.#bytesUsed() <= bytes) continue;
          this.#drop(row);
          deleted++;
        }
      });
      [since, after] = [last.since, last.seq];
      yield;
    }
    return deleted;
  }

  #bytesUsed(): number {
    return this.#statements.bytesUsed.get() ?? 0;
  }

  #drop({ seq, digest }: IdleRow): void {
    this.#statements.unmark.run(seq);
    this.#statements.unname.run(seq);
    this.#statements.remove.run(seq);
    this.#store.forget(digestOfKey(digest));
  }

  /**
   * Computes a value once, and again when rows changed since: between two slices a run may have
   * named content.
   */
  #fresh<T>(compute: () => T): () => T {
    let computed: { readonly at: number; readonly value: T } | null = null;
    return () => {
      const at = this.#statements.changes.get() ?? 0;
      if (computed?.at !== at) computed = { at, value: compute() };
      return computed.value;
    };
  }
}

function prepareAll(state: Db, texts: Db) {
  const idle = "SELECT t.seq, t.digest, i.since FROM idle AS i JOIN texts AS t ON t.seq = i.seq";
  return {
    page: new Statement<[Buffer, number], { seq: number; digest: Buffer; since: number | null }>(
      texts,
      "SELECT t.seq, t.digest, i.since FROM texts AS t LEFT JOIN idle AS i ON i.seq = t.seq " +
        "WHERE t.digest > ? ORDER BY t.digest LIMIT ?",
    ),
    mark: new Statement<[number, number]>(texts, "INSERT OR REPLACE INTO idle (seq, since) VALUES (?, ?)"),
    unmark: new Statement<[number]>(texts, "DELETE FROM idle WHERE seq = ?"),
    unname: new Statement<[number]>(texts, "DELETE FROM seen WHERE text = ?"),
    remove: new Statement<[number]>(texts, "DELETE FROM texts WHERE seq = ?"),
    expired: new Statement<{ cutoff: number; after: number; limit: number }, IdleRow>(
      texts,
      `${idle} WHERE i.seq > @after AND i.since < @cutoff AND t.used < @cutoff ORDER BY i.seq LIMIT @limit`,
    ),
    oldestIdle: new Statement<{ before: number; since: number; after: number; limit: number }, IdleRow>(
      texts,
      `${idle} WHERE (i.since, i.seq) > (@since, @after) AND t.used < @before ORDER BY i.since, i.seq LIMIT @limit`,
    ),
    bytesUsed: new Statement<[], number>(
      texts,
      "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
      "pluck",
    ),
    changes: new Statement<[], number>(state, "SELECT total_changes()", "pluck"),
  };
}

function digestOfKey(key: Buffer): Digest {
  return key.toString("hex") as Digest;
}
