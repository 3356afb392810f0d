import { SEARCH_REGEX_LINES } from "../contract/limits.ts";
import { STRUCTURE_FILE } from "../contract/names.ts";
import { createHybridSearch } from "../search/hybrid.ts";
import { createRegexSearch } from "../search/regex.ts";
import { IndexMerger } from "../search/merge-index.ts";
import { IndexWriter } from "../search/write-index.ts";
import type { Db } from "./database.ts";
import { ROOT } from "./folders-table.ts";
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
 * LIMIT: a step of indexing takes some 5 ms, which is as long as a request may have to wait for it:
 * 6 short texts, or 6,000 characters, and then one more text where those are not reached.
 */
export const STEP = 6;
const COST = { document: 1, characters: 1 / 1_000, path: 1 / 4 } as const;
/** Files of a renamed folder that are looked up at a time. */
const FOLDER_PORTION = 16;

/**
 * The index of the live texts. A write only notes, by triggers within its own transaction, which
 * file or folder it was about (2 µs); the index follows in small steps, the newest write first, so
 * that a great import keeps nobody's own document from being found.
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

  /** Whether an update has anything to do: behind, or indexed in more pieces than it should be. */
  isUnfinished(): boolean {
    return this.#isUnmerged || this.isBehind();
  }

  /**
   * Within a transaction.
   * @param most what may be spent: 1 for a document, and 1 for each 1,000 characters of it
   */
  update(most: number): "done" | "more" {
    const isBehind = this.#index(most);
    this.#isUnmerged = this.#merger.merge(most / STEP);
    return isBehind || this.#isUnmerged ? "more" : "done";
  }

  /**
   * Within a transaction: what was written last, for somebody who waits for it. To merge, which is
   * half of a step, is left to the next one.
   */
  catchUp(): void {
    this.#index(STEP);
    this.#isUnmerged = true;
  }

  /** @returns whether more is to be indexed */
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

  /** The live text and the path are looked up when they are asked for. null: no such file. */
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

  /** @returns what it cost */
  #indexNext(writer: IndexWriter, queued: Queued): number {
    if (queued.kind === "folder") return this.#indexPortion(writer, queued);
    this.#queue.drop.run(queued.n);
    return queued.kind === "text" ? this.#indexText(writer, queued.seq) : this.#indexPlace(writer, queued.seq);
  }

  /** The paths of some files of a folder that got another path. */
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

  /** A new name may make a document of configuration, or the reverse. */
  #indexPlace(writer: IndexWriter, seq: number): number {
    const isSearched = this.#files.bySeq.get(seq)?.name !== STRUCTURE_FILE;
    return isSearched === this.#isIndexed(seq) ? this.#indexPath(writer, seq) : this.#indexText(writer, seq);
  }

  /** A file that is not indexed yet is queued for its text too, which brings its path. */
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
    this.#texts.add(changeId, text);
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
