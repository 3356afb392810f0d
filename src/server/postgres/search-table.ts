import Sqlite from "better-sqlite3";
import { SEARCH_REGEX_LINES } from "../../contract/limits.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { CompiledRegex } from "../../search/engine.ts";
import { createHybridSearch, type Searched } from "../../search/hybrid.ts";
import { type LineMatch, matchLines } from "../../search/regex.ts";
import { SEARCH_SCHEMA } from "../../search/schema.ts";
import { IndexWriter } from "../../search/write-index.ts";
import { Access, includes } from "../access.ts";
import type { FileRow } from "../rows.ts";
import type { RegexResult, Search, SearchScope, WordHit } from "../tables.ts";
import { decodeText, type StoredText } from "../sqlite/text-codec.ts";
import { FoldersTable } from "./folders-table.ts";
import { type Session, sql } from "./session.ts";
import { FILE_PATH, isWithin } from "./sql.ts";

/**
 * LIMIT: a search by words looks at so many of the newest documents below its prefix: they are
 * indexed for this one search, by what SQLite's store keeps of all.
 */
const MOST_INDEXED = 1_000;
/** How many documents are fetched at a time for a regex. */
const PORTION = 200;

type Stored = FileRow & StoredText;
type Found = { readonly file: FileRow; readonly text: string };

const SELECT = `
SELECT x.seq, x.id, x.folder, d.id AS "folderId", x.name, x.protected::integer AS protected, x.change_id AS "changeId",
  ${FILE_PATH} AS path, c.codec, c.text
FROM files x LEFT JOIN folders d ON d.seq = x.above JOIN changes c ON c.id = x.change_id
WHERE x.workspace = $1 AND x.name <> '${STRUCTURE_FILE}' AND ($2::text IS NULL OR ${isWithin("d.path", "$2")})`;

const SQL = {
  newest: sql<Stored>(null, `${SELECT} ORDER BY x.seq DESC LIMIT $3`),
  after: sql<Stored>(null, `${SELECT} AND x.seq > $4 ORDER BY x.seq LIMIT $3`),
} as const;

export class SearchTable implements Search {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async hybrid(scope: SearchScope, query: string, limit: number): Promise<WordHit[]> {
    const stored = await this.#session.all(SQL.newest, scope.workspace, scope.prefix, MOST_INDEXED);
    const found = await this.#readable(scope, stored.reverse());
    const index = new Sqlite(":memory:");
    try {
      return search(index, found, query, limit);
    } finally {
      index.close();
    }
  }

  async regex(scope: SearchScope, regex: CompiledRegex, limit: number, mostSteps: number): Promise<RegexResult> {
    const meter = { left: mostSteps };
    const hits: (Found & { readonly matches: LineMatch[] })[] = [];
    for await (const each of this.#oldestFirst(scope)) {
      meter.left -= each.text.length * regex.stepsPerCharacter;
      const matches = regex.mayMatch(each.text) ? matchLines(each.text, regex, meter, SEARCH_REGEX_LINES) : [];
      if (matches === null || meter.left < 0) return { kind: "too-many-steps" };
      if (matches.length > 0) hits.push({ ...each, matches });
      if (hits.length === limit) break;
    }
    return { kind: "found", hits };
  }

  /** All that may be found, by the portion: whoever has enough leaves the loop. */
  async *#oldestFirst(scope: SearchScope): AsyncGenerator<Found, void> {
    for (let after = 0; ; ) {
      const stored = await this.#session.all(SQL.after, scope.workspace, scope.prefix, PORTION, after);
      yield* await this.#readable(scope, stored);
      if (stored.length < PORTION) return;
      after = stored.at(-1)!.seq;
    }
  }

  /** Those that the key may read, with their texts. */
  async #readable({ grants }: SearchScope, stored: readonly Stored[]): Promise<Found[]> {
    const access = new Access(grants, new FoldersTable(this.#session));
    await access.know(stored.map(({ folder }) => folder));
    return stored
      .filter((row) => includes(access.file(row), "read"))
      .map(({ codec, text, ...file }) => ({ file, text: decodeText({ codec, text }) }));
  }
}

function search(index: Sqlite.Database, found: readonly Found[], query: string, limit: number): WordHit[] {
  index.exec(SEARCH_SCHEMA);
  const searched: Searched = {
    accepts: (document) => document < found.length,
    read: (document) => ({ path: found[document]!.file.path, text: found[document]!.text }),
  };
  index.transaction(() => {
    const writer = new IndexWriter(index);
    for (const [document, { file, text }] of found.entries()) writer.put(document, file.path, text, true);
  })();
  const hits = createHybridSearch(index)(searched, query, limit);
  return hits.map(({ document, score, snippets }) => ({ ...found[document]!, score, snippets }));
}
