import { STRUCTURE_FILE } from "../../../contract/names.ts";
import { type Block, blockOf } from "../../../markdown/search/key-index.ts";
import type { KeySet } from "../../../markdown/search/keys.ts";
import type { Order, Portion } from "../../../markdown/search/source.ts";
import { Access, includes } from "../../files/access.ts";
import { FILE_COLUMNS, FROM_FILES } from "../files-table.ts";
import { FoldersTable } from "../folders-table.ts";
import { type FileRow, ROOT } from "../rows.ts";
import { sql } from "../sql.ts";
import type { FoundFile, Search, SearchScope } from "../tables.ts";
import { decodeText, type StoredText } from "../text-codec.ts";
import type { Db } from "./database.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SqliteSession } from "./session.ts";
import { TextCache } from "./text-cache.ts";

type InWorkspace = { readonly workspace: number; readonly at: number };

const READ = sql<FileRow>(
  null,
  ({ isOneOf }) => `SELECT ${FILE_COLUMNS} ${FROM_FILES} WHERE x.workspace = $1 AND ${isOneOf("x.seq", "$2")}`,
);
const TEXT = sql<StoredText>(null, "SELECT codec, text FROM changes WHERE id = $1");

export class SearchTable implements Search {
  readonly #index: SearchIndex;
  readonly #session: SqliteSession;
  readonly #texts = new TextCache();
  readonly #before;
  readonly #after;
  readonly #within;

  constructor(db: Db, index: SearchIndex, session: SqliteSession) {
    this.#index = index;
    this.#session = session;
    const files = "SELECT seq FROM files INDEXED BY files_by_workspace WHERE workspace = @workspace";
    this.#before = db.prepare<[InWorkspace], { seq: number }>(`${files} AND seq < @at ORDER BY seq DESC LIMIT 1`);
    this.#after = db.prepare<[InWorkspace], { seq: number }>(`${files} AND seq > @at ORDER BY seq LIMIT 1`);
    this.#within = db.prepare<[Block & { workspace: number }], { seq: number }>(
      `${files} AND seq BETWEEN @first AND @last ORDER BY seq`,
    );
  }

  async waiting(workspace: number): Promise<number[]> {
    return this.#index.waiting(workspace);
  }

  /** Returns the documents of the next block in which the workspace has any. */
  async portion({ workspace }: SearchScope, set: KeySet, order: Order, after: number | null): Promise<Portion> {
    const isNewest = order === "newest";
    const found = isNewest
      ? this.#before.get({ workspace, at: after ?? Number.MAX_SAFE_INTEGER })
      : this.#after.get({ workspace, at: after ?? 0 });
    if (found === undefined) return { documents: [], next: null };
    const block = blockOf(found.seq);
    const documents =
      set.kind === "any"
        ? this.#within.all({ workspace, ...block }).map(({ seq }) => seq)
        : this.#index.keys.inBlock(workspace, block, set);
    return isNewest ? { documents: documents.reverse(), next: block.first } : { documents, next: block.last };
  }

  /** Returns the documents in scope. A prefix that matches no folder finds nothing. */
  async read({ workspace, prefix, grants }: SearchScope, documents: readonly number[]): Promise<FoundFile[]> {
    const files = new Map((await this.#session.all(READ, workspace, documents)).map((file) => [file.seq, file]));
    const access = new Access(grants, new FoldersTable(this.#session));
    await access.know([...files.values()].map(({ folder }) => folder));
    const isInside = ({ folder, path }: FileRow) =>
      prefix === null || (folder !== ROOT && path.startsWith(`${prefix}/`));
    return documents.flatMap((document) => {
      const file = files.get(document);
      if (file === undefined || file.name === STRUCTURE_FILE || !isInside(file)) return [];
      return includes(access.file(file), "read") ? [this.#found(file)] : [];
    });
  }

  /** Unpacks the content on first access, which may be after this transaction. */
  #found(file: FileRow): FoundFile {
    const texts = this.#texts;
    const { changeId, path, seq: document } = file;
    const stored = texts.get(changeId) === undefined ? this.#session.oneNow(TEXT, changeId)! : null;
    let text = texts.get(changeId);
    return {
      file,
      document,
      path,
      get text() {
        if (text === undefined) {
          text = decodeText(stored!);
          texts.set(changeId, text);
        }
        return text;
      },
    };
  }
}
