import { createHybridSearch } from "../core/search/hybrid.ts";
import { createRegexSearch } from "../core/search/regex.ts";
import { createIndexWriter } from "../core/search/write-index.ts";
import type { Db } from "./database.ts";
import { decodeText } from "./text-codec.ts";

type Indexed = {
  readonly folder: number;
  readonly name: string;
  readonly folderPath: string | null;
  readonly codec: number;
  readonly text: Buffer;
};

/**
 * The index of the live texts. A write only notes, by triggers within its own transaction, which file or folder it was about
 * (1.5 µs); the texts are indexed before the next search, or while the service has nothing else to do.
 */
export function searchIndex(db: Db) {
  const nextFiles = db.prepare<[number], { seq: number }>(
    "SELECT seq FROM search_queue WHERE kind = 'file' ORDER BY seq LIMIT ?",
  );
  // A folder that got another path: every file in it has another one too.
  const spread = db.prepare(
    `INSERT OR IGNORE INTO search_queue (kind, seq)
       SELECT 'file', x.seq FROM search_queue q CROSS JOIN folders d ON d.seq = q.seq
         CROSS JOIN files x ON x.workspace = d.workspace AND x.folder = d.seq
       WHERE q.kind = 'folder'`,
  );
  const dropFolders = db.prepare("DELETE FROM search_queue WHERE kind = 'folder'");
  const dropFile = db.prepare<[number]>("DELETE FROM search_queue WHERE kind = 'file' AND seq = ?");
  const isIndexed = db.prepare<[number], { id: number }>("SELECT id FROM search_words_docsize WHERE id = ?");
  const live = db.prepare<[number], Indexed>(
    `SELECT x.folder, x.name, d.path AS folderPath, c.codec, c.text FROM files x
       JOIN changes c ON c.id = x.change_id LEFT JOIN folders d ON d.seq = x.folder WHERE x.seq = ?`,
  );
  const place = db.prepare<[number], { workspace: number; folder: number }>(
    "SELECT workspace, folder FROM files WHERE seq = ?",
  );
  const read = (seq: number) => {
    const row = live.get(seq);
    if (row === undefined) return null;
    return { path: row.folderPath === null ? row.name : `${row.folderPath}/${row.name}`, text: decodeText(row) };
  };

  /** Within a transaction. @returns how many files are left to index, or 0; at most `most` are indexed now */
  const update = (most: number): "done" | "more" => {
    if (dropFoldersAfterSpread() === 0 && nextFiles.get(1) === undefined) return "done";
    const files = nextFiles.all(most);
    const writer = createIndexWriter(db);
    for (const { seq } of files) {
      const fresh = isIndexed.get(seq) === undefined;
      const document = read(seq);
      if (document !== null) writer.put(seq, document.path, document.text, fresh);
      else if (!fresh) writer.remove(seq);
      dropFile.run(seq);
    }
    return files.length === most ? "more" : "done";
  };
  const dropFoldersAfterSpread = () => {
    spread.run();
    return dropFolders.run().changes;
  };

  return {
    update,
    placeOf: (seq: number) => place.get(seq),
    read,
    hybrid: createHybridSearch(db),
    regex: createRegexSearch(db),
  };
}

export type SearchIndex = ReturnType<typeof searchIndex>;
