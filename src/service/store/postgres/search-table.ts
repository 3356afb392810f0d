import { STRUCTURE_FILE } from "../../../contract/names.ts";
import type { KeySet } from "../../../markdown/search/keys.ts";
import type { Order, Portion } from "../../../markdown/search/source.ts";
import { Access, includes } from "../../files/access.ts";
import type { FileRow } from "../rows.ts";
import { FILE_COLUMNS } from "../files-table.ts";
import { FoldersTable } from "../folders-table.ts";
import { type Session, sql } from "../sql.ts";
import { decodeText, type StoredText } from "../text-codec.ts";
import type { FoundFile, Search, SearchScope } from "../tables.ts";
import { sqlOf } from "./key-sets.ts";

/** LIMIT: unindexed files that a search reads, the newest first. */
const MOST_WAITING = 1_000;
/** LIMIT: writes of unindexed files that a search reads. */
const MOST_WRITES = 4 * MOST_WAITING;
/**
 * LIMIT: files of one portion, more than a search usually reads. For a common key, the database
 * compares the keys of as many files as the portion has.
 */
const PORTION = 256;

const WAITING = sql<{ file: number }>(
  "search.waiting",
  `SELECT file FROM (SELECT file, n FROM search_queue WHERE workspace = $1 ORDER BY n DESC LIMIT ${MOST_WRITES}) AS newest
   GROUP BY file ORDER BY max(n) DESC LIMIT ${MOST_WAITING}`,
);
const READ = sql<FileRow & StoredText>(
  "search.read",
  `SELECT ${FILE_COLUMNS}, c.codec, c.text
   FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (seq, place) JOIN files x ON x.seq = asked.seq
     LEFT JOIN folders d ON d.seq = x.folder JOIN changes c ON c.id = x.change_id
   WHERE x.workspace = $1 AND x.name <> '${STRUCTURE_FILE}'
     AND ($3::text IS NULL OR starts_with(d.path || '/', $3 || '/'))
   ORDER BY asked.place`,
);

/** Narrows searches by the keys of `search_texts`. */
export class SearchTable implements Search {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async waiting(workspace: number): Promise<number[]> {
    return (await this.#session.all(WAITING, workspace)).map(({ file }) => file);
  }

  async portion({ workspace }: SearchScope, set: KeySet, order: Order, after: number | null): Promise<Portion> {
    const isNewest = order === "newest";
    const values: unknown[] = [workspace, after ?? (isNewest ? Number.MAX_SAFE_INTEGER : 0)];
    const value = (each: unknown) => `$${values.push(each)}`;
    const inSet = set.kind === "any" ? "" : `AND x.seq IN (${sqlOf(set, workspace, value)})`;
    const [beyond, direction] = isNewest ? ["<", "DESC"] : [">", "ASC"];
    const text = `SELECT x.seq FROM files x WHERE x.workspace = $1 AND x.seq ${beyond} $2::bigint ${inSet}
      ORDER BY x.seq ${direction} LIMIT ${PORTION}`;
    const found = await this.#session.all(sql<{ seq: number }>(null, text), ...values);
    const documents = found.map(({ seq }) => seq);
    return { documents, next: documents.length < PORTION ? null : documents.at(-1)! };
  }

  /** Returns the documents in scope. A prefix that matches no folder finds nothing. */
  async read({ workspace, prefix, grants }: SearchScope, documents: readonly number[]): Promise<FoundFile[]> {
    const stored = await this.#session.all(READ, workspace, documents, prefix);
    const access = new Access(grants, new FoldersTable(this.#session));
    await access.know(stored.map(({ folder }) => folder));
    return stored.filter((row) => includes(access.file(row), "read")).map(foundOf);
  }
}

/** Unpacks the content on first access, which may be after this transaction. */
function foundOf({ codec, text: packed, ...file }: FileRow & StoredText): FoundFile {
  let text: string | null = null;
  return {
    file,
    document: file.seq,
    path: file.path,
    get text() {
      text ??= decodeText({ codec, text: packed });
      return text;
    },
  };
}
