import { STRUCTURE_FILE } from "../../../contract/names.ts";
import { KeyIndex } from "../../../markdown/search/key-index.ts";
import type { Db } from "./database.ts";
import { FILE_PATH } from "./sql.ts";
import { decodeText, type StoredText } from "./text-codec.ts";

/** A file of any workspace, as the index needs it. */
type Indexed = StoredText & { readonly workspace: number; readonly name: string; readonly path: string };

type Queued = {
  readonly n: number;
  readonly kind: "file" | "folder";
  readonly seq: number;
  readonly after: number;
};

/**
 * LIMIT: what one step of indexing may cost: 6 short texts, or 6,000 characters or keys. The part
 * of a text with which a step reaches this is still indexed. A step takes some 5 ms, 20 ms for the
 * keys of a row, which a request may have to wait.
 */
export const STEP = 6;
const COST = { document: 1, work: 1 / 1_000 } as const;
/** How many files of a renamed folder one step looks up. */
const FOLDER_PORTION = 4;
/** LIMIT: files that are not indexed yet and are looked at by a search, the newest. */
const MOST_WAITING = 1_000;

/**
 * The index of the live texts. A write only notes which file or folder it was about, by triggers
 * within its own transaction (2 µs). The index follows in small steps, the newest write first, and
 * a search looks at what waits: so nobody waits for the index.
 */
export class SearchIndex {
  readonly keys: KeyIndex;
  readonly #file;
  readonly #queue: ReturnType<typeof prepareQueue>;
  /** The file that is being indexed, by its number in the queue. A write gives it another one. */
  #open: { readonly n: number; readonly parts: Generator<number, void>; done: number } | null = null;
  #isUnmerged = false;

  constructor(db: Db) {
    this.keys = new KeyIndex(db);
    this.#queue = prepareQueue(db);
    this.#file = db.prepare<[number], Indexed>(
      `SELECT x.workspace, x.name, ${FILE_PATH} AS path, c.codec, c.text
       FROM files x LEFT JOIN folders d ON d.seq = x.folder CROSS JOIN changes c ON c.id = x.change_id WHERE x.seq = ?`,
    );
  }

  /**
   * Whether `update` has anything to do: texts wait to be indexed, or the index is in more pieces
   * than it should be.
   */
  isUnfinished(): boolean {
    return this.#isUnmerged || this.#newest() !== undefined;
  }

  /** The files of a workspace that wait to be indexed, each once, the newest write first. */
  waiting(workspace: number): number[] {
    const waiting = this.#queue.waiting.all({ workspace, most: MOST_WAITING });
    // A file may wait by itself, and with its folder.
    return [...new Set(waiting.map(({ seq }) => seq))];
  }

  /**
   * Indexes what waits, the newest first, and joins pieces of the index. The caller holds a
   * transaction.
   * @param most what it may cost: 1 for a document, and 1 for each 1,000 characters or keys of it
   */
  update(most: number): "done" | "more" {
    this.keys.merger.takeOver();
    let queued = this.#next();
    for (let spent = 0; queued !== undefined && spent < most; queued = this.#next()) spent += this.#indexPart(queued);
    this.#isUnmerged = this.keys.merger.merge(most / STEP);
    return queued !== undefined || this.#isUnmerged ? "more" : "done";
  }

  /**
   * Returns the file that was begun, if it was not written since and its last part was committed;
   * otherwise the newest.
   */
  #next(): Queued | undefined {
    const open = this.#open === null ? undefined : this.#queue.numbered.get(this.#open.n);
    if (open !== undefined && open.after === this.#open!.done) return open;
    this.#open = null;
    return this.#newest();
  }

  #newest(): Queued | undefined {
    return this.#queue.newest.get();
  }

  /** @returns what it cost, as `update` counts */
  #indexPart({ n, kind, seq, after }: Queued): number {
    if (kind === "folder") {
      const files = this.#queue.filesOf.all(seq, after, FOLDER_PORTION);
      for (const file of files) this.#queue.add.run(file.workspace, file.seq);
      if (files.length < FOLDER_PORTION) this.#queue.drop.run(n);
      else this.#queue.goOnAfter.run(files.at(-1)!.seq, n);
      return COST.document;
    }
    this.#open ??= { n, parts: this.#indexFile(seq), done: 0 };
    const part = this.#open.parts.next();
    if (part.done === true) {
      this.#open = null;
      this.#queue.drop.run(n);
      return COST.document;
    }
    this.#queue.goOnAfter.run(++this.#open.done, n);
    return part.value * COST.work;
  }

  *#indexFile(seq: number): Generator<number, void> {
    const file = this.#file.get(seq);
    if (file === undefined || file.name === STRUCTURE_FILE) this.keys.remove(seq);
    else yield* this.keys.putInParts(file.workspace, seq, file.path, decodeText(file));
  }
}

function prepareQueue(db: Db) {
  return {
    newest: db.prepare<[], Queued>("SELECT n, kind, seq, after FROM search_queue ORDER BY n DESC LIMIT 1"),
    numbered: db.prepare<[number], Queued>("SELECT n, kind, seq, after FROM search_queue WHERE n = ?"),
    add: db.prepare<[number, number]>(
      "INSERT OR REPLACE INTO search_queue (workspace, kind, seq) VALUES (?, 'file', ?)",
    ),
    drop: db.prepare<[number]>("DELETE FROM search_queue WHERE n = ?"),
    goOnAfter: db.prepare<[number, number]>("UPDATE search_queue SET after = ? WHERE n = ?"),
    filesOf: db.prepare<[number, number, number], { workspace: number; seq: number }>(
      `SELECT x.workspace, x.seq FROM folders d CROSS JOIN files x ON x.workspace = d.workspace AND x.folder = d.seq
       WHERE d.seq = ? AND x.seq > ? ORDER BY x.seq LIMIT ?`,
    ),
    waiting: db.prepare<[{ workspace: number; most: number }], { seq: number }>(
      `SELECT seq FROM (
         SELECT seq FROM search_queue WHERE workspace = @workspace AND kind = 'file' ORDER BY n DESC LIMIT @most
       ) UNION ALL SELECT x.seq FROM search_queue q CROSS JOIN files x
         ON x.workspace = @workspace AND x.folder = q.seq AND x.seq > q.after
       WHERE q.workspace = @workspace AND q.kind = 'folder' LIMIT @most`,
    ),
  };
}
