import { STRUCTURE_FILE } from "../../../contract/names.ts";
import { type Block, blockOf } from "../../../markdown/search/key-index.ts";
import type { KeySet } from "../../../markdown/search/keys.ts";
import type { Order, Portion } from "../../../markdown/search/source.ts";
import { includes, Levels } from "../../files/access.ts";
import { type FileRow, ROOT } from "../rows.ts";
import type { FoundFile, Search, SearchScope } from "../tables.ts";
import type { Db } from "./database.ts";
import type { FilesTable } from "./files-table.ts";
import type { FoldersTable } from "./folders-table.ts";
import type { SearchIndex } from "./search-index.ts";
import { TextCache } from "./text-cache.ts";
import { decodeText, type StoredText } from "./text-codec.ts";

type Parts = { readonly files: FilesTable; readonly folders: FoldersTable };
type InWorkspace = { readonly workspace: number; readonly at: number };

export class SearchTable implements Search {
  readonly #index: SearchIndex;
  readonly #parts: Parts;
  readonly #texts = new TextCache();
  readonly #before;
  readonly #after;
  readonly #within;
  readonly #text;

  constructor(db: Db, index: SearchIndex, parts: Parts) {
    this.#index = index;
    this.#parts = parts;
    const files = "SELECT seq FROM files INDEXED BY files_by_workspace WHERE workspace = @workspace";
    this.#before = db.prepare<[InWorkspace], { seq: number }>(`${files} AND seq < @at ORDER BY seq DESC LIMIT 1`);
    this.#after = db.prepare<[InWorkspace], { seq: number }>(`${files} AND seq > @at ORDER BY seq LIMIT 1`);
    this.#within = db.prepare<[Block & { workspace: number }], { seq: number }>(
      `${files} AND seq BETWEEN @first AND @last ORDER BY seq`,
    );
    this.#text = db.prepare<[string], StoredText>("SELECT codec, text FROM changes WHERE id = ?");
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

  async read(scope: SearchScope, documents: readonly number[]): Promise<FoundFile[]> {
    const mayRead = this.#readableBy(scope);
    return documents.flatMap((document) => {
      const file = this.#parts.files.inWorkspace(scope.workspace, document);
      return file !== undefined && mayRead(file) ? this.#found(file) : [];
    });
  }

  /** Unpacks the content on first access, which may be after this transaction. */
  #found(file: FileRow): FoundFile {
    const texts = this.#texts;
    const { changeId, path, seq: document } = file;
    const stored = texts.get(changeId) === undefined ? this.#text.get(changeId)! : null;
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

  /** Returns a filter by prefix and grants. A prefix that matches no folder finds nothing. */
  #readableBy({ prefix, grants }: SearchScope): (file: FileRow) => boolean {
    const { folders } = this.#parts;
    const levels = new Levels(grants, (folder) => folders.parentOf(folder));
    const isInside = ({ folder, path }: FileRow) =>
      prefix === null || (folder !== ROOT && path.startsWith(`${prefix}/`));
    return (file) => file.name !== STRUCTURE_FILE && isInside(file) && includes(levels.file(file), "read");
  }
}
