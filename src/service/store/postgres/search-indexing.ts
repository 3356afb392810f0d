import { setImmediate as nextTurn } from "node:timers/promises";
import { STRUCTURE_FILE } from "../../../contract/names.ts";
import { decodeText, type StoredText } from "../text-codec.ts";
import type { Indexing } from "../store.ts";
import { keysInParts } from "../../../markdown/search/keys.ts";
import { keyIn } from "./search-table.ts";
import { FILE_PATH, type Session, sql } from "../sql.ts";
import type { Transactions } from "./transactions.ts";

/** Number of documents in one step; each 10,000 characters take some milliseconds. */
const STEP = 8;

type Queued = { readonly n: number; readonly file: number };
type Document = StoredText & { readonly seq: number; readonly workspace: number; readonly path: string };

const SQL = {
  // Takes the newest writes first from the queue. Several processes share the queue.
  take: sql<Queued>(
    "indexing.take",
    `DELETE FROM search_queue WHERE n IN (SELECT n FROM search_queue ORDER BY n DESC LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING n, file`,
  ),
  documents: sql<Document>(
    "indexing.documents",
    `SELECT x.seq, x.workspace, ${FILE_PATH} AS path, c.codec, c.text
     FROM files x LEFT JOIN folders d ON d.seq = x.above JOIN changes c ON c.id = x.change_id
     WHERE x.seq = ANY($1::bigint[]) AND x.name <> '${STRUCTURE_FILE}'`,
  ),
  put: sql(
    "indexing.put",
    `INSERT INTO search_texts (file, n, keys)
     SELECT file, n, keys FROM json_to_recordset($1) AS made (file bigint, n bigint, keys integer[]) ORDER BY file
     ON CONFLICT (file) DO UPDATE SET n = excluded.n, keys = excluded.keys WHERE search_texts.n < excluded.n`,
  ),
} as const;

/** Indexes written documents in steps; any process may take a step. */
export class SearchIndexing implements Indexing {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async step(most: "a-step" | "all"): Promise<"done" | "more"> {
    for (;;) {
      const work = (session: Session) => this.#index(session);
      const done = await this.#transactions.write({ work, keep: () => true, synced: false });
      if (done < STEP) return "done";
      if (most === "a-step") return "more";
    }
  }

  async #index(session: Session): Promise<number> {
    const queued = await session.all(SQL.take, STEP);
    if (queued.length === 0) return 0;
    const newest = new Map(queued.sort((a, b) => a.n - b.n).map(({ n, file }) => [file, n]));
    const made: object[] = [];
    for (const { seq, workspace, path, codec, text } of await session.all(SQL.documents, [...newest.keys()])) {
      const keys = new Set<number>();
      for (const part of keysInParts(path, decodeText({ codec, text }))) {
        for (const key of part.keys) keys.add(keyIn(workspace, key));
        await nextTurn();
      }
      made.push({ file: seq, n: newest.get(seq), keys: [...keys] });
    }
    session.send(SQL.put, JSON.stringify(made));
    return queued.length;
  }
}
