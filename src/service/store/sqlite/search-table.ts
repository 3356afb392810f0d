import { BoundedMap } from "../../../common/bounded-map.ts";
import { STRUCTURE_FILE } from "../../../contract/names.ts";
import type { KeySet } from "../../../markdown/search/keys.ts";
import type { AgeOrder, DocumentPage } from "../../../markdown/search/source.ts";
import { findBlock, KeyIndex } from "../../../markdown/search/key-index.ts";
import { decodeText, FILE_COLUMNS, FROM_FILES, type StoredText } from "../files-table.ts";
import { IS_SEARCHED_FILE, MAX_UNINDEXED_FILES, makeFoundFile, readSearchedFiles } from "../found-files.ts";
import type { FileRow } from "../rows.ts";
import { FILE_PATH, sql } from "../sql.ts";
import type { Store } from "../store.ts";
import type { Db, SqliteSession } from "./database.ts";
import type { ConnectionQueue } from "./transactions.ts";

/**
 * LIMIT: number of characters of contents that a search keeps in memory. The limit is high enough
 * for a large workspace, because some regexes require no string and must be tried on every
 * document. The content of a change never changes, so the cache stays valid.
 */
const MAX_CACHED_CHARACTERS = 32 * 1024 * 1024;

const SELECT_SEARCHED = sql<FileRow>`SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE ${IS_SEARCHED_FILE}`;
const SELECT_TEXT = sql<StoredText>`SELECT codec, text FROM changes WHERE id = $1`;

const FROM_OWN_FILES = "FROM files INDEXED BY files_by_workspace WHERE workspace = $1";

/** Statements that find files of a workspace by their row numbers. */
const FIND_FILES = {
  before: sql<{ seq: number }>`SELECT seq ${FROM_OWN_FILES} AND seq < $2 ORDER BY seq DESC LIMIT 1`,
  after: sql<{ seq: number }>`SELECT seq ${FROM_OWN_FILES} AND seq > $2 ORDER BY seq LIMIT 1`,
  within: sql<{ seq: number }>`SELECT seq ${FROM_OWN_FILES} AND seq BETWEEN $2 AND $3 ORDER BY seq`,
};

/** Statements for the queue of files and folders to index. */
const QUEUE = {
  newest: sql<QueuedItem>`SELECT n, kind, seq, after FROM search_queue ORDER BY n DESC LIMIT 1`,
  numbered: sql<QueuedItem>`SELECT n, kind, seq, after FROM search_queue WHERE n = $1`,
  add: sql`INSERT OR REPLACE INTO search_queue (workspace, kind, seq) VALUES ($1, 'file', $2)`,
  drop: sql`DELETE FROM search_queue WHERE n = $1`,
  goOnAfter: sql`UPDATE search_queue SET after = $2 WHERE n = $1`,
  filesOf: sql<{ workspace: number; seq: number }>`
    SELECT x.workspace, x.seq FROM folders d CROSS JOIN files x ON x.workspace = d.workspace AND x.folder = d.seq
    WHERE d.seq = $1 AND x.seq > $2 ORDER BY x.seq LIMIT $3`,
  waiting: sql<{ seq: number }>`
    SELECT seq FROM (
      SELECT seq FROM search_queue WHERE workspace = $1 AND kind = 'file' ORDER BY n DESC LIMIT $2
    ) UNION ALL SELECT x.seq FROM search_queue q CROSS JOIN files x
      ON x.workspace = $1 AND x.folder = q.seq AND x.seq > q.after
    WHERE q.workspace = $1 AND q.kind = 'folder' LIMIT $2`,
  file: sql<IndexedFile>`SELECT x.workspace, x.name, ${FILE_PATH} AS path, c.codec, c.text
    FROM files x LEFT JOIN folders d ON d.seq = x.folder CROSS JOIN changes c ON c.id = x.change_id WHERE x.seq = $1`,
};

/**
 * Returns the function `Store.search`, which finds documents by the index. The caller must keep
 * `index` up to date.
 */
export function makeSearch(index: SearchIndex, session: SqliteSession, turns: ConnectionQueue): Store["search"] {
  const cachedTexts = new BoundedMap<string, string>(MAX_CACHED_CHARACTERS, (text) => text.length);
  const readPortion = makePortionReader(session, index);
  const readFoundFile = (file: FileRow) => {
    const cachedText = cachedTexts.get(file.changeId);
    if (cachedText !== undefined) return makeFoundFile(file, () => cachedText);
    const storedText = session.oneNow(SELECT_TEXT, file.changeId)!;
    return makeFoundFile(file, () => {
      const text = decodeText(storedText);
      cachedTexts.set(file.changeId, text);
      return text;
    });
  };
  return (scope) => ({
    unindexed: () => turns.take(async () => index.waiting(scope.workspace)),
    portion: (...args) => turns.take(async () => readPortion(scope.workspace, ...args)),
    read: (documents) =>
      turns.take(async () => (await readSearchedFiles(session, SELECT_SEARCHED, scope, documents)).map(readFoundFile)),
  });
}

/**
 * Returns a function that finds documents of a workspace with the search index. Each call searches
 * one range of document numbers (`DocumentBlock`). Ranges without documents of the workspace are
 * skipped.
 */
function makePortionReader(session: SqliteSession, index: SearchIndex) {
  return (workspace: number, set: KeySet, order: AgeOrder, from: number | null): DocumentPage => {
    const isNewest = order === "newest";
    const firstRow = isNewest
      ? session.oneNow(FIND_FILES.before, workspace, from ?? Number.MAX_SAFE_INTEGER)
      : session.oneNow(FIND_FILES.after, workspace, from ?? 0);
    if (firstRow === undefined) return { documents: [], next: null };
    const { first, last } = findBlock(firstRow.seq);
    const documents =
      set.kind === "any"
        ? session.allNow(FIND_FILES.within, workspace, first, last).map(({ seq }) => seq)
        : index.keys.inBlock(workspace, { first, last }, set);
    return isNewest ? { documents: documents.reverse(), next: first } : { documents, next: last };
  };
}

/** A file of any workspace, with the columns that the index needs. */
type IndexedFile = StoredText & { readonly workspace: number; readonly name: string; readonly path: string };

type QueuedItem = {
  readonly n: number;
  readonly kind: "file" | "folder";
  readonly seq: number;
  readonly after: number;
};

/**
 * LIMIT: cost of one step of indexing: 6 short documents, or 6,000 characters or keys. The limit is
 * small, because a request may have to wait for a step. A step that reaches the limit within a part
 * of a document still completes this part.
 */
export const MAX_STEP_COST = 6;
const COST_FACTORS = { document: 1, work: 1 / 1_000 } as const;
/**
 * LIMIT: number of files of a renamed folder that are put into the queue at the cost of one short
 * document. A large folder takes several steps.
 */
const FILES_PER_FOLDER_STEP = 4;
/**
 * Search index of the published contents. A trigger only adds a written file or folder to a queue,
 * so that no request waits for the index. Small steps update the index later, the newest write
 * first. Meanwhile, a search also reads the files in the queue.
 */
export class SearchIndex {
  readonly keys: KeyIndex;
  readonly #session: SqliteSession;
  /**
   * File that is partly indexed. `n`: number of the file in the queue. If somebody writes the file
   * again, the file gets another number.
   */
  #open: { readonly n: number; readonly parts: Generator<number, void>; done: number } | null = null;
  #isUnmerged = false;

  constructor(db: Db, session: SqliteSession) {
    this.keys = new KeyIndex({ prepare: (text) => db.statement(text) });
    this.#session = session;
  }

  /** Returns true if documents wait to be indexed, or if the index has parts to merge. */
  isUnfinished(): boolean {
    return this.#isUnmerged || this.#newest() !== undefined;
  }

  /** Returns the files of a workspace that are not indexed yet, each once, newest first. */
  waiting(workspace: number): number[] {
    const waitingFiles = this.#session.allNow(QUEUE.waiting, workspace, MAX_UNINDEXED_FILES);
    // A file may be in the queue twice: once itself, and once as part of its folder.
    return [...new Set(waitingFiles.map(({ seq }) => seq))];
  }

  /**
   * Indexes the documents in the queue, the newest first, and merges parts of the index. The caller
   * must have begun a transaction.
   * @param most cost at which the step ends. The cost of a document is 1, plus 1 for each 1,000 of
   * its characters or keys
   */
  update(most: number): "done" | "more" {
    this.keys.merger.takeOver();
    let queuedItem = this.#next();
    for (let costSoFar = 0; queuedItem !== undefined && costSoFar < most; queuedItem = this.#next())
      costSoFar += this.#indexPart(queuedItem);
    this.#isUnmerged = this.keys.merger.merge(most / MAX_STEP_COST);
    return queuedItem !== undefined || this.#isUnmerged ? "more" : "done";
  }

  /**
   * Returns the item to index next: the newest in the queue. A partly indexed file comes first, if
   * its last part was committed and nobody wrote the file again.
   */
  #next(): QueuedItem | undefined {
    const openItem = this.#open === null ? undefined : this.#session.oneNow(QUEUE.numbered, this.#open.n);
    if (openItem !== undefined && openItem.after === this.#open!.done) return openItem;
    this.#open = null;
    return this.#newest();
  }

  #newest(): QueuedItem | undefined {
    return this.#session.oneNow(QUEUE.newest);
  }

  /**
   * Indexes one part of a file.
   * @returns cost of the part; 1 is the cost of a document without its content
   */
  #indexPart({ n, kind, seq, after }: QueuedItem): number {
    if (kind === "folder") {
      const files = this.#session.allNow(QUEUE.filesOf, seq, after, FILES_PER_FOLDER_STEP);
      for (const file of files) this.#session.send(QUEUE.add, file.workspace, file.seq);
      if (files.length < FILES_PER_FOLDER_STEP) this.#session.send(QUEUE.drop, n);
      else this.#session.send(QUEUE.goOnAfter, n, files.at(-1)!.seq);
      return COST_FACTORS.document;
    }
    this.#open ??= { n, parts: this.#indexFile(seq), done: 0 };
    const part = this.#open.parts.next();
    if (part.done === true) {
      this.#open = null;
      this.#session.send(QUEUE.drop, n);
      return COST_FACTORS.document;
    }
    this.#session.send(QUEUE.goOnAfter, n, ++this.#open.done);
    return part.value * COST_FACTORS.work;
  }

  *#indexFile(seq: number): Generator<number, void> {
    const file = this.#session.oneNow(QUEUE.file, seq);
    if (file === undefined || file.name === STRUCTURE_FILE) this.keys.remove(seq);
    else yield* this.keys.putInParts(file.workspace, seq, file.path, decodeText(file));
  }
}
