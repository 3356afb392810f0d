import { SEARCH_REGEX_LINES } from "../../contract/limits.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import { createHybridSearch } from "../../search/hybrid.ts";
import { createRegexSearch } from "../../search/regex.ts";
import { IndexMerger } from "../../search/merge-index.ts";
import { IndexWriter } from "../../search/write-index.ts";
import type { Db } from "./database.ts";
import { ROOT } from "../rows.ts";
import { TextCache } from "./text-cache.ts";
import { decodeText, type StoredText } from "./text-codec.ts";

/** A file of any workspace, as the index needs it. */
type FileRow = {
  readonly workspace: number;
  readonly folder: number;
  readonly name: string;
  readonly changeId: string;
};

type Queued = {
  readonly n: number;
  readonly kind: "text" | "path" | "folder";
  readonly seq: number;
  readonly after: number;
};

/**
 * LIMIT: what one step of indexing may cost: 6 short texts, or 6,000 characters. The text with
 * which a step reaches this is still indexed whole. A step takes some 5 ms, which a request may
 * have to wait.
 */
export const STEP = 6;
const COST = { document: 1, characters: 1 / 1_000, path: 1 / 4 } as const;
/** How many files of a renamed folder one step looks up. */
const FOLDER_PORTION = 16;

/**
 * The index of the live texts. A write only notes which file or folder it was about, by triggers
 * within its own transaction (2 µs). The index follows in small steps, the newest write first: so a
 * document that somebody saves during a large import is found at once.
 */
export class SearchIndex {
  readonly hybrid: ReturnType<typeof createHybridSearch>;
  readonly regex: ReturnType<typeof createRegexSearch>;
  readonly #files: ReturnType<typeof prepareFiles>;
  readonly #queue: ReturnType<typeof prepareQueue>;
  readonly #texts = new TextCache();
  readonly #writer: IndexWriter;
  readonly #merger: IndexMerger;
  #isUnmerged = false;

  constructor(db: Db) {
    this.#files = prepareFiles(db);
    this.#queue = prepareQueue(db);
    this.#writer = new IndexWriter(db);
    this.#merger = new IndexMerger(db);
    this.hybrid = createHybridSearch(db);
    this.regex = createRegexSearch(db, SEARCH_REGEX_LINES);
  }

  isBehind(): boolean {
    return this.#newest() !== undefined;
  }

  /**
   * Whether `update` has anything to do: texts wait to be indexed, or the index is in more pieces
   * than it should be.
   */
  isUnfinished(): boolean {
    return this.#isUnmerged || this.isBehind();
  }

  /**
   * Indexes what waits, the newest first, and joins pieces of the index. The caller holds a
   * transaction.
   * @param most what it may cost: 1 for a document, and 1 for each 1,000 characters of it
   */
  update(most: number): "done" | "more" {
    const isBehind = this.#index(most);
    this.#isUnmerged = this.#merger.merge(most / STEP);
    return isBehind || this.#isUnmerged ? "more" : "done";
  }

  /**
   * Indexes what was written last, for a search that waits for it. The caller holds a transaction.
   * Joining pieces of the index is half of the work of a step, and is left to the next one.
   */
  catchUp(): void {
    this.#index(STEP);
    this.#isUnmerged = true;
  }

  /** @returns whether more waits to be indexed */
  #index(most: number): boolean {
    this.#merger.takeOver();
    this.#writer.begin();
    let queued = this.#newest();
    for (let spent = 0; queued !== undefined && spent < most; queued = this.#newest()) {
      spent += this.#indexNext(this.#writer, queued);
    }
    return queued !== undefined;
  }

  placeOf(seq: number): { readonly workspace: number; readonly folder: number } | undefined {
    return this.#files.bySeq.get(seq);
  }

  /** The text and the path are looked up only when they are read. null: no such file. */
  read(seq: number): { readonly text: string; readonly path: string } | null {
    const file = this.#files.bySeq.get(seq);
    if (file === undefined) return null;
    const textOf = () => this.#cachedText(file.changeId);
    const pathOf = () => this.#pathOf(file);
    return {
      get text() {
        return textOf();
      },
      get path() {
        return pathOf();
      },
    };
  }

  #newest(): Queued | undefined {
    return this.#queue.newest.get();
  }

  /** @returns what it cost, as `update` counts */
  #indexNext(writer: IndexWriter, queued: Queued): number {
    if (queued.kind === "folder") return this.#indexPortion(writer, queued);
    this.#queue.drop.run(queued.n);
    return queued.kind === "text" ? this.#indexText(writer, queued.seq) : this.#indexPlace(writer, queued.seq);
  }

  /** Indexes the new paths of some files of a folder that was renamed or moved. */
  #indexPortion(writer: IndexWriter, { n, seq, after }: Queued): number {
    const files = this.#queue.filesOf.all(seq, after, FOLDER_PORTION);
    if (files.length < FOLDER_PORTION) this.#queue.drop.run(n);
    else this.#queue.goOnAfter.run(files.at(-1)!.seq, n);
    return files.reduce((cost, file) => cost + this.#indexPath(writer, file.seq), COST.path);
  }

  #indexText(writer: IndexWriter, seq: number): number {
    const fresh = !this.#isIndexed(seq);
    const file = this.#files.bySeq.get(seq);
    if (file === undefined || file.name === STRUCTURE_FILE) {
      if (!fresh) writer.remove(seq);
      return COST.document;
    }
    const text = this.#text(file.changeId);
    writer.putText(seq, text, fresh);
    if (fresh) writer.putPath(seq, this.#pathOf(file), fresh);
    return COST.document + text.length * COST.characters;
  }

  /**
   * Indexes a file that was renamed or moved. By its new name it may be the file of the folder
   * structure, which is not searched, or be that file no more.
   */
  #indexPlace(writer: IndexWriter, seq: number): number {
    const isSearched = this.#files.bySeq.get(seq)?.name !== STRUCTURE_FILE;
    return isSearched === this.#isIndexed(seq) ? this.#indexPath(writer, seq) : this.#indexText(writer, seq);
  }

  /**
   * Indexes a file's path. A file that is not in the index yet is passed over: it is queued for its
   * text too, and that step indexes its path.
   */
  #indexPath(writer: IndexWriter, seq: number): number {
    const file = this.#files.bySeq.get(seq);
    if (file !== undefined && this.#isIndexed(seq)) writer.putPath(seq, this.#pathOf(file), false);
    return COST.path;
  }

  #isIndexed(seq: number): boolean {
    return this.#files.isIndexed.get(seq) !== undefined;
  }

  #pathOf({ folder, name }: FileRow): string {
    return folder === ROOT ? name : `${this.#files.folderPath.get(folder)!.path}/${name}`;
  }

  #text(changeId: string): string {
    return decodeText(this.#files.text.get(changeId)!);
  }

  #cachedText(changeId: string): string {
    const cached = this.#texts.get(changeId);
    if (cached !== undefined) return cached;
    const text = this.#text(changeId);
    this.#texts.set(changeId, text);
    return text;
  }
}

function prepareFiles(db: Db) {
  return {
    isIndexed: db.prepare<[number], { id: number }>("SELECT id FROM search_words_docsize WHERE id = ?"),
    bySeq: db.prepare<[number], FileRow>(
      "SELECT workspace, folder, name, change_id AS changeId FROM files WHERE seq = ?",
    ),
    folderPath: db.prepare<[number], { path: string }>("SELECT path FROM folders WHERE seq = ?"),
    text: db.prepare<[string], StoredText>("SELECT codec, text FROM changes WHERE id = ?"),
  };
}

function prepareQueue(db: Db) {
  return {
    newest: db.prepare<[], Queued>("SELECT n, kind, seq, after FROM search_queue ORDER BY n DESC LIMIT 1"),
    drop: db.prepare<[number]>("DELETE FROM search_queue WHERE n = ?"),
    goOnAfter: db.prepare<[number, number]>("UPDATE search_queue SET after = ? WHERE n = ?"),
    filesOf: db.prepare<[number, number, number], { seq: number }>(
      `SELECT x.seq FROM folders d CROSS JOIN files x ON x.workspace = d.workspace AND x.folder = d.seq
       WHERE d.seq = ? AND x.seq > ? ORDER BY x.seq LIMIT ?`,
    ),
  };
}
