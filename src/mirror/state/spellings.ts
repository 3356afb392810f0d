import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { LinkTarget, Spelling } from "../../contract/spelling.ts";
import type { Spellings } from "../ports/spellings.ts";
import { makeAtOrBelowCondition, makeMovedPath, makeRange, TableWithStatements } from "./table.ts";

type SpellingRow = [path: string, bytes: Digest, text: Digest, spelledAt: string, leads: string, id: DocId | null];
type LinkTargetRow = [destination: string, at: LinkTarget["at"], to: LinkTarget["to"], former?: LinkTarget["former"]];

const SPELLING_COLUMNS = "path, bytes, text, spelled_at, leads, id";

/**
 * LIMIT: number of spellings for each path, newest first, so that the table stays small. Of the
 * spellings with the current content of the path, the same number is kept. Older spellings are kept
 * because an editor's undo, or a checkout, may restore earlier bytes of the file. Earlier bytes
 * must not count as an edit.
 */
const KEPT_SPELLINGS = 8;

/** Table of the spellings of local files. A file without links has no row. */
export class SpellingTable extends TableWithStatements implements Spellings {
  readonly #one = this.sql<[string, Digest], SpellingRow>(
    `SELECT ${SPELLING_COLUMNS} FROM spellings WHERE path = ? AND bytes = ?`,
    "raw",
  );
  readonly #at = this.sql<[string], SpellingRow>(
    `SELECT ${SPELLING_COLUMNS} FROM spellings WHERE path = ? ORDER BY seq DESC`,
    "raw",
  );
  readonly #ofContent = this.sql<[string, Digest], SpellingRow>(
    `SELECT ${SPELLING_COLUMNS} FROM spellings WHERE path = ? AND text = ? ORDER BY seq DESC LIMIT 1`,
    "raw",
  );
  readonly #with = this.sql<[Digest], SpellingRow>(`SELECT ${SPELLING_COLUMNS} FROM spellings WHERE bytes = ?`, "raw");
  readonly #all = this.sql<[], SpellingRow>(`SELECT ${SPELLING_COLUMNS} FROM spellings ORDER BY seq DESC`, "raw");
  readonly #any = this.sql<[], number>("SELECT 1 FROM spellings LIMIT 1", "pluck");
  readonly #put = this.sql<SpellingRow>(
    `INSERT OR REPLACE INTO spellings (${SPELLING_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  readonly #copy = this.sql<Record<string, string>>(
    `INSERT OR REPLACE INTO spellings (${SPELLING_COLUMNS}) SELECT ${makeMovedPath("path")}, bytes, text, spelled_at, leads, id ` +
      `FROM spellings WHERE ${makeAtOrBelowCondition("path", "from")} ORDER BY seq`,
  );
  readonly #clear = this.sql<[]>("DELETE FROM spellings");
  readonly #removeOld = this.sql<[]>(
    "DELETE FROM spellings WHERE seq IN (SELECT seq FROM (SELECT s.seq, coalesce(r.local_digest, r.digest) IS s.text AS is_current, " +
      "row_number() OVER (PARTITION BY s.path ORDER BY s.seq DESC) AS rank_of_path, " +
      "row_number() OVER (PARTITION BY s.path, s.text ORDER BY s.seq DESC) AS rank_of_text " +
      "FROM spellings AS s LEFT JOIN records AS r ON r.local_path = s.path) " +
      `WHERE rank_of_path > ${KEPT_SPELLINGS} AND NOT (is_current AND rank_of_text <= ${KEPT_SPELLINGS}))`,
  );
  readonly #removeLost = this.sql<[]>(
    "DELETE FROM spellings WHERE path NOT IN (SELECT local_path FROM records) " +
      "AND path NOT IN (SELECT conflict_copy_path FROM conflicts) " +
      // While a move is blocked, the record of a document has the old path, and the block has the
      // new path. Therefore spellings at or below the path of a block are kept as well.
      "AND NOT EXISTS (SELECT 1 FROM blocked AS b WHERE b.path = spellings.path " +
      "OR substr(spellings.path, 1, length(b.path) + 1) = b.path || '/')",
  );

  find(path: LocalPath, bytes: Digest): Spelling | null {
    return toSpellingOrNull(this.#one.get(path, bytes));
  }

  ofContent(path: LocalPath, text: Digest): Spelling | null {
    return toSpellingOrNull(this.#ofContent.get(path, text));
  }

  atPath(path: LocalPath): Spelling[] {
    return this.#at.all(path).map(toSpelling);
  }

  withBytes(bytes: Digest): Spelling[] {
    return this.#with.all(bytes).map(toSpelling);
  }

  all(): Spelling[] {
    return this.#all.all().map(toSpelling);
  }

  isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  put({ path, bytes, text, spelledAt, leads, id }: Spelling): void {
    this.#put.run(path, bytes, text, spelledAt, JSON.stringify(leads.map(toLinkRow)), id);
  }

  copy(from: LocalPath, to: LocalPath): void {
    this.#copy.run({ to, ...makeRange("from", from) });
  }

  clear(): void {
    this.#clear.run();
  }

  removeOld(): void {
    this.#removeOld.run();
  }

  removeLost(): void {
    this.#removeLost.run();
  }
}

function toSpellingOrNull(row: SpellingRow | undefined): Spelling | null {
  return row === undefined ? null : toSpelling(row);
}

function toSpelling([path, bytes, text, spelledAt, leads, id]: SpellingRow): Spelling {
  const linkRows = JSON.parse(leads) as LinkTargetRow[];
  return { path, id, bytes, text, spelledAt, leads: linkRows.map(toLinkTarget) };
}

function toLinkRow({ destination, at, to, former }: LinkTarget): LinkTargetRow {
  return former === undefined ? [destination, at, to] : [destination, at, to, former];
}

function toLinkTarget([destination, at, to, former]: LinkTargetRow): LinkTarget {
  return former === undefined ? { destination, at, to } : { destination, at, to, former };
}
