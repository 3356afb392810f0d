import { STRUCTURE_FILE } from "../../contract/names.ts";
import { decodeText, type StoredText } from "../sqlite/text-codec.ts";
import type { Indexing } from "../store.ts";
import { keysOf, keysOfTerm, termsOf } from "./search-keys.ts";
import { type Session, sql } from "./session.ts";
import type { Transactions } from "./transactions.ts";

/** How many documents one step indexes, some milliseconds each 10,000 characters. */
const STEP = 8;
/** LIMIT: words that are remembered as indexed, some 10 MB. */
const MOST_KNOWN = 100_000;

type Queued = { readonly n: number; readonly file: number };
type Document = StoredText & { readonly seq: number; readonly workspace: number; readonly name: string };

const SQL = {
  // The newest first. Several processes share the work.
  take: sql<Queued>(
    "indexing.take",
    "SELECT n, file FROM search_queue ORDER BY n DESC LIMIT $1 FOR UPDATE SKIP LOCKED",
  ),
  drop: sql("indexing.drop", "DELETE FROM search_queue WHERE n = ANY($1::bigint[])"),
  documents: sql<Document>(
    "indexing.documents",
    `SELECT x.seq, x.workspace, x.name, c.codec, c.text FROM files x JOIN changes c ON c.id = x.change_id
     WHERE x.seq = ANY($1::bigint[]) AND x.name <> '${STRUCTURE_FILE}'`,
  ),
  put: sql(
    "indexing.put",
    `INSERT INTO search_texts (file, n, keys) VALUES ($1, $2, $3)
     ON CONFLICT (file) DO UPDATE SET n = excluded.n, keys = excluded.keys WHERE search_texts.n < excluded.n`,
  ),
  learn: sql(
    "indexing.learn",
    `INSERT INTO search_terms (workspace, term, keys)
     SELECT $1, each.term, each.keys::integer[] FROM unnest($2::text[], $3::text[]) AS each (term, keys)
     ON CONFLICT DO NOTHING`,
  ),
} as const;

/** Follows what was written, in steps of several documents, whichever process does them. */
export class SearchIndexing implements Indexing {
  readonly #transactions: Transactions;
  /** Words that are in the vocabulary, with the number of their workspace. */
  readonly #known = new Set<string>();

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async step(most: "a-step" | "all"): Promise<"done" | "more"> {
    for (;;) {
      const learnt: string[] = [];
      const work = (session: Session) => this.#index(session, learnt);
      const done = await this.#transactions.write({ work, keep: () => true, synced: false });
      if (this.#known.size > MOST_KNOWN) this.#known.clear();
      for (const each of learnt) this.#known.add(each);
      if (done < STEP) return "done";
      if (most === "a-step") return "more";
    }
  }

  async #index(session: Session, learnt: string[]): Promise<number> {
    const queued = await session.all(SQL.take, STEP);
    if (queued.length === 0) return 0;
    session.send(
      SQL.drop,
      queued.map(({ n }) => n),
    );
    const newest = new Map(queued.toReversed().map(({ n, file }) => [file, n]));
    for (const { seq, workspace, name, codec, text } of await session.all(SQL.documents, [...newest.keys()])) {
      const whole = decodeText({ codec, text });
      const bare = name.replace(/\.md$/, "");
      session.send(SQL.put, seq, newest.get(seq), keysOf(workspace, bare, whole));
      this.#learn(session, workspace, termsOf(bare, whole), learnt);
    }
    return queued.length;
  }

  #learn(session: Session, workspace: number, terms: readonly string[], learnt: string[]): void {
    // In one order, because others learn the same words at the same time.
    const fresh = terms.filter((term) => !this.#known.has(`${workspace} ${term}`)).sort();
    if (fresh.length === 0) return;
    const keys = fresh.map((term) => `{${keysOfTerm(workspace, term).join(",")}}`);
    session.send(SQL.learn, workspace, fresh, keys);
    learnt.push(...fresh.map((term) => `${workspace} ${term}`));
  }
}
