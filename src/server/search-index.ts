import { SEARCH_REGEX_LINES } from "../contract/limits.ts";
import { createHybridSearch } from "../search/hybrid.ts";
import { createRegexSearch } from "../search/regex.ts";
import { createIndexWriter, type IndexWriter } from "../search/write-index.ts";
import type { Db } from "./database.ts";
import { ROOT } from "./folders-table.ts";
import { textCache } from "./text-cache.ts";
import { decodeText } from "./text-codec.ts";

type Live = { readonly workspace: number; readonly folder: number; readonly name: string; readonly changeId: string };

type Queued = {
  readonly n: number;
  readonly kind: "text" | "path" | "folder";
  readonly seq: number;
  readonly after: number;
};

/**
 * LIMIT: a step of indexing takes some 5 ms, which is as long as a request may have to wait for it:
 * 24 short texts, or 24,000 characters.
 */
export const STEP = 24;
const COST = { document: 1, characters: 1 / 1_000, path: 1 / 4 } as const;
/** Files of a renamed folder that are looked up at a time. */
const FOLDER_PORTION = 16;

/**
 * The index of the live texts. A write only notes, by triggers within its own transaction, which
 * file or folder it was about (2 µs); the index follows in small steps, the newest write first, so
 * that a great import keeps nobody's own document from being found.
 */
export function searchIndex(db: Db) {
  const isIndexed = db.prepare<[number], { id: number }>("SELECT id FROM search_words_docsize WHERE id = ?");
  const live = db.prepare<[number], Live>(
    "SELECT workspace, folder, name, change_id AS changeId FROM files WHERE seq = ?",
  );
  const folderPath = db.prepare<[number], { path: string }>("SELECT path FROM folders WHERE seq = ?");
  const stored = db.prepare<[string], { codec: number; text: Buffer }>("SELECT codec, text FROM changes WHERE id = ?");
  const textOf = (changeId: string) => decodeText(stored.get(changeId)!);
  const heldTextOf = textCache(textOf);
  const pathOf = ({ folder, name }: Live) => (folder === ROOT ? name : `${folderPath.get(folder)!.path}/${name}`);
  const queue = searchQueue(db);

  const indexText = (writer: IndexWriter, seq: number): number => {
    const fresh = isIndexed.get(seq) === undefined;
    const row = live.get(seq);
    if (row === undefined) {
      if (!fresh) writer.remove(seq);
      return COST.document;
    }
    const text = textOf(row.changeId);
    writer.putText(seq, text, fresh);
    if (fresh) writer.putPath(seq, pathOf(row), fresh);
    return COST.document + text.length * COST.characters;
  };
  /** A file that is not indexed yet is queued for its text too, which brings its path. */
  const indexPath = (writer: IndexWriter, seq: number): number => {
    const row = live.get(seq);
    if (row !== undefined && isIndexed.get(seq) !== undefined) writer.putPath(seq, pathOf(row), false);
    return COST.path;
  };
  const indexNext = (writer: IndexWriter, queued: Queued): number => {
    if (queued.kind !== "folder") {
      queue.drop(queued);
      return (queued.kind === "text" ? indexText : indexPath)(writer, queued.seq);
    }
    const files = queue.filesOf(queued, FOLDER_PORTION);
    if (files.length < FOLDER_PORTION) queue.drop(queued);
    else queue.goOnAfter(queued, files.at(-1)!);
    return files.reduce((cost, seq) => cost + indexPath(writer, seq), COST.path);
  };
  /**
   * Within a transaction. @param most what may be spent: 1 for a document, and 1 for each 1,000
   * characters of it
   */
  const update = (most: number): "done" | "more" => {
    let queued = queue.newest();
    if (queued === undefined) return "done";
    const writer = createIndexWriter(db);
    for (let spent = 0; queued !== undefined && spent < most; queued = queue.newest()) {
      spent += indexNext(writer, queued);
    }
    return queued === undefined ? "done" : "more";
  };

  return {
    update,
    isBehind: () => queue.newest() !== undefined,
    placeOf: (seq: number): { readonly workspace: number; readonly folder: number } | undefined => live.get(seq),
    /** The live text; the path is looked up when it is asked for. null: no such file. */
    read: (seq: number) => {
      const row = live.get(seq);
      if (row === undefined) return null;
      return {
        text: heldTextOf(row.changeId),
        get path() {
          return pathOf(row);
        },
      };
    },
    hybrid: createHybridSearch(db),
    regex: createRegexSearch(db, SEARCH_REGEX_LINES),
  };
}

export type SearchIndex = ReturnType<typeof searchIndex>;

function searchQueue(db: Db) {
  const newest = db.prepare<[], Queued>("SELECT n, kind, seq, after FROM search_queue ORDER BY n DESC LIMIT 1");
  const drop = db.prepare<[number]>("DELETE FROM search_queue WHERE n = ?");
  const goOn = db.prepare<[number, number]>("UPDATE search_queue SET after = ? WHERE n = ?");
  const filesOf = db.prepare<[number, number, number], { seq: number }>(
    `SELECT x.seq FROM folders d CROSS JOIN files x ON x.workspace = d.workspace AND x.folder = d.seq
     WHERE d.seq = ? AND x.seq > ? ORDER BY x.seq LIMIT ?`,
  );
  return {
    newest: () => newest.get(),
    drop: ({ n }: Queued) => void drop.run(n),
    goOnAfter: ({ n }: Queued, file: number) => void goOn.run(file, n),
    filesOf: ({ seq, after }: Queued, most: number) => filesOf.all(seq, after, most).map((row) => row.seq),
  };
}
