import { BoundedMap } from "../../../common/bounded-map.ts";
import { STRUCTURE_FILE } from "../../../contract/names.ts";
import { type Block, blockOf } from "../../../markdown/search/key-index.ts";
import { Access, includes } from "../../files/access.ts";
import { FILE_COLUMNS, foundFile, FROM_FILES } from "../files-table.ts";
import { foldersTable } from "../folders-table.ts";
import { type FileRow, ROOT } from "../rows.ts";
import { sql } from "../sql.ts";
import type { Search } from "../tables.ts";
import { decodeText, type StoredText } from "../text-codec.ts";
import type { Db } from "./database.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SqliteSession } from "./session.ts";

/**
 * LIMIT: characters in memory, about 32 to 64 MB: the live texts of a workspace of 40,000 notes.
 * The text of a change never changes, so no entry becomes stale. A regular expression without a
 * literal reads all of them.
 */
const HELD_CHARACTERS = 32 * 1024 * 1024;

const READ = sql<FileRow>(
  null,
  ({ isOneOf }) => `SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE x.workspace = $1 AND ${isOneOf("x.seq", "$2")}`,
);
const TEXT = sql<StoredText>(null, "SELECT codec, text FROM changes WHERE id = $1");

/** Narrows searches by the index, which the caller keeps up to date. */
export function searchTable(db: Db, index: SearchIndex, session: SqliteSession): Search {
  /** Texts of changes, by id. */
  const texts = new BoundedMap<string, string>(HELD_CHARACTERS, (text) => text.length);
  const files = "SELECT seq FROM files INDEXED BY files_by_workspace WHERE workspace = @workspace";
  type At = { readonly workspace: number; readonly at: number };
  const before = db.prepare<[At], { seq: number }>(`${files} AND seq < @at ORDER BY seq DESC LIMIT 1`);
  const after = db.prepare<[At], { seq: number }>(`${files} AND seq > @at ORDER BY seq LIMIT 1`);
  const within = db.prepare<[Block & { workspace: number }], { seq: number }>(
    `${files} AND seq BETWEEN @first AND @last ORDER BY seq`,
  );
  const found = (file: FileRow) => {
    const known = texts.get(file.changeId);
    if (known !== undefined) return foundFile(file, () => known);
    const stored = session.oneNow(TEXT, file.changeId)!;
    return foundFile(file, () => {
      const text = decodeText(stored);
      texts.set(file.changeId, text);
      return text;
    });
  };
  return {
    waiting: async (workspace) => index.waiting(workspace),
    // Returns the documents of the next block in which the workspace has any.
    async portion({ workspace }, set, order, from) {
      const isNewest = order === "newest";
      const first = isNewest
        ? before.get({ workspace, at: from ?? Number.MAX_SAFE_INTEGER })
        : after.get({ workspace, at: from ?? 0 });
      if (first === undefined) return { documents: [], next: null };
      const block = blockOf(first.seq);
      const documents =
        set.kind === "any"
          ? within.all({ workspace, ...block }).map(({ seq }) => seq)
          : index.keys.inBlock(workspace, block, set);
      return isNewest ? { documents: documents.reverse(), next: block.first } : { documents, next: block.last };
    },
    // If no folder has the prefix, no document is found.
    async read({ workspace, prefix, grants }, documents) {
      const read = new Map((await session.all(READ, workspace, documents)).map((file) => [file.seq, file]));
      const access = new Access(grants, foldersTable(session));
      await access.know([...read.values()].map(({ folder }) => folder));
      const isInside = ({ folder, path }: FileRow) =>
        prefix === null || (folder !== ROOT && path.startsWith(`${prefix}/`));
      return documents.flatMap((document) => {
        const file = read.get(document);
        if (file === undefined || file.name === STRUCTURE_FILE || !isInside(file)) return [];
        return includes(access.file(file), "read") ? [found(file)] : [];
      });
    },
  };
}
