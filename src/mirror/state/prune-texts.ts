import type { Digest } from "../../contract/digest.ts";
import type { Db } from "./database.ts";
import type { ReferencedTexts } from "./referenced-texts.ts";
import { Statement, WithStatements } from "./statement.ts";
import type { TextStore } from "./texts.ts";

/** Number of rows in one slice. */
const LOOKED_AT = 2_000;
const DELETED = 256;

const IDLE = "SELECT t.seq, t.digest, i.since FROM idle AS i JOIN texts AS t ON t.seq = i.seq";

type IdleRow = { readonly seq: number; readonly digest: Buffer; readonly since: number };

/**
 * Deletes idle contents, which no row of the state names. `idle.since`: when pruning first found
 * the content idle. Storing the content again updates `texts.used`.
 */
export class TextPruning extends WithStatements {
  readonly #page = this.sql<[Buffer, number], { seq: number; digest: Buffer; since: number | null }>(
    "SELECT t.seq, t.digest, i.since FROM texts AS t LEFT JOIN idle AS i ON i.seq = t.seq " +
      "WHERE t.digest > ? ORDER BY t.digest LIMIT ?",
  );
  readonly #mark = this.sql<[number, number]>("INSERT OR REPLACE INTO idle (seq, since) VALUES (?, ?)");
  readonly #unmark = this.sql<[number]>("DELETE FROM idle WHERE seq = ?");
  readonly #unname = this.sql<[number]>("DELETE FROM seen WHERE text = ?");
  readonly #remove = this.sql<[number]>("DELETE FROM texts WHERE seq = ?");
  readonly #expired = this.sql<{ cutoff: number; after: number; limit: number }, IdleRow>(
    `${IDLE} WHERE i.seq > @after AND i.since < @cutoff AND t.used < @cutoff ORDER BY i.seq LIMIT @limit`,
  );
  readonly #oldestIdle = this.sql<{ before: number; since: number; after: number; limit: number }, IdleRow>(
    `${IDLE} WHERE (i.since, i.seq) > (@since, @after) AND t.used < @before ORDER BY i.since, i.seq LIMIT @limit`,
  );
  readonly #bytes = this.sql<[], number>(
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    "pluck",
  );
  readonly #changes: Statement<[], number>;
  readonly #store: TextStore;
  readonly #referenced: ReferencedTexts;
  readonly #inOne: (work: () => void) => void;

  constructor(state: Db, texts: Db, store: TextStore, referenced: ReferencedTexts) {
    super(texts);
    this.#store = store;
    this.#referenced = referenced;
    this.#changes = new Statement(state, "SELECT total_changes()", "pluck");
    this.#inOne = texts.transaction((work: () => void) => work());
  }

  /**
   * Walks the index of digests. Records since when each content is idle, and removes that record if
   * a row names the content again.
   */
  *markIdle(now: number): Generator<void> {
    const named = this.#fresh(() => this.#referenced.all());
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const rows = this.#page.all(after, LOOKED_AT);
      if (rows.length === 0) return;
      const names = named();
      this.#inOne(() => {
        for (const { seq, digest, since } of rows) {
          const isNamed = names.has(digestOfKey(digest));
          if (isNamed && since !== null) this.#unmark.run(seq);
          // A time in the future was recorded while the clock was wrong.
          if (!isNamed && (since === null || since > now)) this.#mark.run(seq, now);
        }
      });
      after = rows.at(-1)!.digest;
      yield;
    }
  }

  /** Deletes idle contents that are past their time. Returns how many. */
  *deleteExpired(cutoff: number): Generator<void, number> {
    const named = this.#fresh(() => this.#referenced.all());
    let deleted = 0;
    for (let after = 0; ; ) {
      const rows = this.#expired.all({ cutoff, after, limit: DELETED });
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
   * Deletes idle contents that the service had as versions, until the store has at most `bytes` or
   * none is left.
   * @param before contents stored later stay, because an action may be about to name them
   * @returns how many were deleted
   */
  *deleteOver(bytes: number, before: number): Generator<void, number> {
    const named = this.#fresh(() => this.#referenced.all());
    const versions = this.#fresh(() => this.#referenced.versions());
    let deleted = 0;
    let [since, after] = [0, 0];
    while (this.#bytesUsed() > bytes) {
      const rows = this.#oldestIdle.all({ before, since, after, limit: DELETED });
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
    return this.#bytes.get() ?? 0;
  }

  #drop({ seq, digest }: IdleRow): void {
    this.#unmark.run(seq);
    this.#unname.run(seq);
    this.#remove.run(seq);
    this.#store.forget(digestOfKey(digest));
  }

  /**
   * Returns a function that computes a value once, and again after rows changed: between two
   * slices, a run may have named content.
   */
  #fresh<T>(compute: () => T): () => T {
    let computed: { readonly at: number; readonly value: T } | null = null;
    return () => {
      const at = this.#changes.get() ?? 0;
      if (computed?.at !== at) computed = { at, value: compute() };
      return computed.value;
    };
  }
}

function digestOfKey(key: Buffer): Digest {
  return key.toString("hex") as Digest;
}
