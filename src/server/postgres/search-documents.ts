import { STRUCTURE_FILE } from "../../contract/names.ts";
import { foldText } from "../../search/fold.ts";
import { Access, includes } from "../access.ts";
import type { FileRow } from "../rows.ts";
import { decodeText, type StoredText } from "../sqlite/text-codec.ts";
import type { SearchScope } from "../tables.ts";
import { FoldersTable } from "./folders-table.ts";
import { type Files, type FoldedFolder, sqlOf } from "./narrowing.ts";
import { type Session, sql } from "./session.ts";
import { FILE_PATH, isWithin } from "./sql.ts";

export type Found = { readonly file: FileRow; readonly text: string };
type Stored = FileRow & StoredText;

/** How many documents are fetched at a time. */
const PORTION = 200;
/** LIMIT: of a set, so many portions are looked through for what a key may read. */
const MOST_PORTIONS = 25;

const SELECT = `
SELECT x.seq, x.id, x.folder, d.id AS "folderId", x.name, x.protected::integer AS protected, x.change_id AS "changeId",
  ${FILE_PATH} AS path, c.codec, c.text
FROM files x LEFT JOIN folders d ON d.seq = x.above JOIN changes c ON c.id = x.change_id
WHERE x.workspace = $1 AND x.name <> '${STRUCTURE_FILE}'`;

const FOLDERS = sql<FoldedFolder>("search.folders", "SELECT seq, path FROM folders WHERE workspace = $1");

/** The documents of one search, with their texts: those that the key may read, and no others. */
export class SearchDocuments {
  readonly #session: Session;
  readonly #scope: SearchScope;
  readonly #access: Access;

  constructor(session: Session, scope: SearchScope) {
    this.#session = session;
    this.#scope = scope;
    this.#access = new Access(scope.grants, new FoldersTable(session));
  }

  async folders(): Promise<FoldedFolder[]> {
    const folders = await this.#session.all(FOLDERS, this.#scope.workspace);
    return folders.map(({ seq, path }) => ({ seq, path: foldText(path) }));
  }

  /** The newest of a set, at most `most`. */
  async newest(set: Files, most: number): Promise<Found[]> {
    const found: Found[] = [];
    let portions = 0;
    for await (const portion of this.#portions(set, "DESC")) {
      found.push(...portion);
      if (found.length >= most || ++portions === MOST_PORTIONS) break;
    }
    return found.slice(0, most);
  }

  /** All of a set. */
  async *oldestFirst(set: Files): AsyncGenerator<Found, void> {
    for await (const portion of this.#portions(set, "ASC")) yield* portion;
  }

  async *#portions(set: Files, order: "ASC" | "DESC"): AsyncGenerator<Found[], void> {
    const { workspace, prefix } = this.#scope;
    const values: unknown[] = [workspace, order === "ASC" ? 0 : Number.MAX_SAFE_INTEGER];
    const value = (each: unknown) => `$${values.push(each)}`;
    const inSet = set.kind === "any" ? "" : `AND x.seq IN (${sqlOf(set, value)})`;
    const inTree = prefix === null ? "" : `AND ${isWithin("d.path", value(prefix))}`;
    const beyond = `AND x.seq ${order === "ASC" ? ">" : "<"} $2::bigint`;
    const text = `${SELECT} ${inSet} ${inTree} ${beyond} ORDER BY x.seq ${order} LIMIT ${PORTION}`;
    for (;;) {
      const stored = await this.#session.all(sql<Stored>(null, text), ...values);
      yield this.#readable(stored);
      if (stored.length < PORTION) return;
      values[1] = stored.at(-1)!.seq;
    }
  }

  async #readable(stored: readonly Stored[]): Promise<Found[]> {
    await this.#access.know(stored.map(({ folder }) => folder));
    return stored
      .filter((row) => includes(this.#access.file(row), "read"))
      .map(({ codec, text, ...file }) => ({ file, text: decodeText({ codec, text }) }));
  }
}
