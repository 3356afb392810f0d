import { createHybridSearch } from "../core/search/hybrid.ts";
import { createRegexSearch } from "../core/search/regex.ts";
import { createIndexWriter } from "../core/search/write-index.ts";
import type { Db } from "./database.ts";
import { ROOT } from "./folders-table.ts";
import { textCache } from "./text-cache.ts";
import { decodeText } from "./text-codec.ts";

type Live = { readonly workspace: number; readonly folder: number; readonly name: string; readonly changeId: string };

/**
 * The index of the live texts. A write only notes, by triggers within its own transaction, which file or folder it was about
 * (2 µs); the texts are indexed before the next search, or while the service has nothing else to do.
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
  const live = db.prepare<[number], Live>(
    "SELECT workspace, folder, name, change_id AS changeId FROM files WHERE seq = ?",
  );
  const folderPath = db.prepare<[number], { path: string }>("SELECT path FROM folders WHERE seq = ?");
  const stored = db.prepare<[string], { codec: number; text: Buffer }>("SELECT codec, text FROM changes WHERE id = ?");
  const textOf = (changeId: string) => decodeText(stored.get(changeId)!);
  const heldTextOf = textCache(textOf);
  const pathOf = ({ folder, name }: Live) => (folder === ROOT ? name : `${folderPath.get(folder)!.path}/${name}`);

  /** Within a transaction. @returns how many files are left to index, or 0; at most `most` are indexed now */
  const update = (most: number): "done" | "more" => {
    if (dropFoldersAfterSpread() === 0 && nextFiles.get(1) === undefined) return "done";
    const files = nextFiles.all(most);
    const writer = createIndexWriter(db);
    for (const { seq } of files) {
      const fresh = isIndexed.get(seq) === undefined;
      const row = live.get(seq);
      if (row !== undefined) writer.put(seq, pathOf(row), textOf(row.changeId), fresh);
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
    regex: createRegexSearch(db),
  };
}

export type SearchIndex = ReturnType<typeof searchIndex>;
