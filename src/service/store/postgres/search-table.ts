import { STRUCTURE_FILE } from "../../../contract/names.ts";
import { type KeySet, generateKeyParts } from "../../../markdown/search/keys.ts";
import type { DocumentSource } from "../../../markdown/search/source.ts";
import { decodeText, type FileRowWithText, SELECT_FILES_WITH_TEXT, type StoredText } from "../files-table.ts";
import {
  type FoundFile,
  makeFoundFile,
  IS_SEARCHED_FILE,
  MAX_UNINDEXED_FILES,
  type SearchScope,
  readSearchedFiles,
} from "../found-files.ts";
import { type Session, sql, sqlPlannedByValues, FILE_PATH } from "../sql.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Transactions } from "./transactions.ts";

/**
 * LIMIT: number of rows of the queue in which a search looks for files that are not indexed yet,
 * the newest first. The limit is a multiple of the number of files, because a file can have several
 * rows, one for each of its changes.
 */
const MAX_QUEUE_ROWS = 4 * MAX_UNINDEXED_FILES;
/**
 * LIMIT: number of documents that a search gets from one query, so that each query is short. If
 * more documents have the keys of the search, the search continues with another query. Most
 * searches need only one query.
 */
const FILES_PER_PORTION = 256;

const SELECT_QUEUED_FILES = sql<{ file: number }>`
  SELECT file FROM (SELECT file, n FROM search_queue WHERE workspace = $1 ORDER BY n DESC LIMIT ${MAX_QUEUE_ROWS}) AS newest
   GROUP BY file ORDER BY max(n) DESC LIMIT ${MAX_UNINDEXED_FILES}`;
const SELECT_SEARCHED = sql<FileRowWithText>`${SELECT_FILES_WITH_TEXT} WHERE ${IS_SEARCHED_FILE}`;

/**
 * Returns the documents of a search. The search index (table `search_texts`) excludes most
 * documents that cannot match.
 */
export function makeSearchSource(transactions: Transactions, scope: SearchScope): DocumentSource<FoundFile> {
  const { workspace } = scope;
  const readAll: Session["all"] = (...query) => transactions.read((session) => session.all(...query));
  return {
    unindexed: async () => (await readAll(SELECT_QUEUED_FILES, workspace)).map(({ file }) => file),
    async portion(set, order, after) {
      const isNewest = order === "newest";
      const values: unknown[] = [workspace, after ?? (isNewest ? Number.MAX_SAFE_INTEGER : 0)];
      const addValue = (each: unknown) => `$${values.push(each)}`;
      const inSetCondition = set.kind === "any" ? "" : `AND x.seq IN (${makeSetSql(set, workspace, addValue)})`;
      const [beyond, direction] = isNewest ? ["<", "DESC"] : [">", "ASC"];
      const sqlText = `SELECT x.seq FROM files x WHERE x.workspace = $1 AND x.seq ${beyond} $2::bigint ${inSetCondition}
        ORDER BY x.seq ${direction} LIMIT ${FILES_PER_PORTION}`;
      const foundRows = await readAll(sqlPlannedByValues<{ seq: number }>`${sqlText}`, ...values);
      const documents = foundRows.map(({ seq }) => seq);
      return { documents, next: documents.length < FILES_PER_PORTION ? null : documents.at(-1)! };
    },
    async read(documents) {
      const files = await transactions.read((session) => readSearchedFiles(session, SELECT_SEARCHED, scope, documents));
      return files.map(({ codec, text, ...file }) => makeFoundFile(file, () => decodeText({ codec, text })));
    },
  };
}

const HASH_PRIME = 0x9e3779b1;

/**
 * Converts a key of a document (`src/markdown/search/keys.ts`) to a key of the index, which all
 * workspaces share. The key is mixed with the row number of the workspace, so that a search finds
 * almost no document of other workspaces.
 */
function toIndexKey(workspace: number, key: number): number {
  return key ^ Math.imul(workspace, HASH_PRIME);
}

/**
 * Returns an SQL query for the files whose index keys meet the conditions of `set`.
 * @param value adds a value to the statement, and returns the placeholder of the value
 */
function makeSetSql(
  set: Exclude<KeySet, { kind: "any" }>,
  workspace: number,
  value: (value: unknown) => string,
): string {
  if (set.kind === "with") {
    const keys = set.keys.map((key) => toIndexKey(workspace, key));
    return `SELECT file FROM search_texts WHERE keys @> ${value(keys)}::integer[]`;
  }
  const expressions = set.of.flatMap((set) => (set.kind === "any" ? [] : [`(${makeSetSql(set, workspace, value)})`]));
  return expressions.join(set.kind === "each" ? " INTERSECT " : " UNION ");
}

/** Number of documents that one step indexes. Each 10,000 characters take some milliseconds. */
const DOCUMENTS_PER_STEP = 8;

type QueuedFile = { readonly n: number; readonly file: number };
type IndexedDocument = StoredText & { readonly seq: number; readonly workspace: number; readonly path: string };

const SQL = {
  // Takes the newest files from the queue of files to index, which several processes share.
  take: sql<QueuedFile>`DELETE FROM search_queue
    WHERE n IN (SELECT n FROM search_queue ORDER BY n DESC LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING n, file`,
  documents: sql<IndexedDocument>`SELECT x.seq, x.workspace, ${FILE_PATH} AS path, c.codec, c.text
    FROM files x LEFT JOIN folders d ON d.seq = x.above JOIN changes c ON c.id = x.change_id
    WHERE x.seq = ANY($1::bigint[]) AND x.name <> '${STRUCTURE_FILE}'`,
  put: sql`INSERT INTO search_texts (file, n, keys)
    SELECT file, n, keys FROM json_to_recordset($1) AS made (file bigint, n bigint, keys integer[]) ORDER BY file
    ON CONFLICT (file) DO UPDATE SET n = excluded.n, keys = excluded.keys WHERE search_texts.n < excluded.n`,
} as const;

/** Adds written documents to the search index, in steps. Any of the processes may do a step. */
export async function indexWrittenFiles(transactions: Transactions, most: "a-step" | "all"): Promise<"done" | "more"> {
  for (;;) {
    const indexedCount = await transactions.write(indexDocuments, { isSynced: false });
    if (indexedCount < DOCUMENTS_PER_STEP) return "done";
    if (most === "a-step") return "more";
  }
}

async function indexDocuments(session: Session): Promise<number> {
  const queuedFiles = await session.all(SQL.take, DOCUMENTS_PER_STEP);
  if (queuedFiles.length === 0) return 0;
  const newestNumbers = new Map(queuedFiles.sort((a, b) => a.n - b.n).map(({ n, file }) => [file, n]));
  const entries: object[] = [];
  for (const { seq, workspace, path, codec, text } of await session.all(SQL.documents, [...newestNumbers.keys()])) {
    const keys = new Set<number>();
    for (const part of generateKeyParts(path, decodeText({ codec, text }))) {
      for (const key of part.keys) keys.add(toIndexKey(workspace, key));
      await nextTurn();
    }
    entries.push({ file: seq, n: newestNumbers.get(seq), keys: [...keys] });
  }
  session.send(SQL.put, JSON.stringify(entries));
  return queuedFiles.length;
}
