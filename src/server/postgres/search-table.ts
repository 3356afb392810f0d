import Sqlite from "better-sqlite3";
import { SEARCH_REGEX_LINES } from "../../contract/limits.ts";
import { distanceWithin } from "../../search/distance.ts";
import type { CompiledRegex } from "../../search/engine.ts";
import { foldText } from "../../search/fold.ts";
import { createHybridSearch, type Searched } from "../../search/hybrid.ts";
import { requiredOf } from "../../search/literals.ts";
import { type LineMatch, matchLines } from "../../search/regex.ts";
import { SEARCH_SCHEMA } from "../../search/schema.ts";
import { allowedDistance, smallSlips } from "../../search/terms.ts";
import { type Unit, unitsOf } from "../../search/tokens.ts";
import { IndexWriter } from "../../search/write-index.ts";
import type { RegexResult, Search, SearchScope, WordHit } from "../tables.ts";
import {
  ANY,
  type Files,
  type FoldedFolder,
  inEach,
  inOne,
  WAITING,
  withLiteral,
  withNeed,
  withUnit,
} from "./narrowing.ts";
import { type Found, SearchDocuments } from "./search-documents.ts";
import { keysOfTerm } from "./search-keys.ts";
import { type Session, sql } from "./session.ts";

/** LIMIT: of a longer query the first words narrow it down. */
const MOST_UNITS = 24;
/** LIMIT: so many documents more than are asked for, the newest, are ranked of each set. */
const MARGIN = 100;
/** LIMIT: of what waits to be indexed the newest so many are looked at. */
const MOST_WAITING = 1_000;
/** How many documents are indexed until others have their turn, some milliseconds. */
const DOCUMENTS_OF_A_TURN = 8;
/** Words that stand in for one with a typing error. */
const MOST_NEAR = 8;

const NEAR = sql<{ term: string }>(
  "search.near",
  `SELECT term FROM search_terms WHERE workspace = $1 AND (keys && $2::integer[] OR term = ANY($3::text[]))
   ORDER BY (SELECT count(*) FROM unnest(keys) AS each (key) WHERE key = ANY($2::integer[])) DESC, term LIMIT 300`,
);

/**
 * PostgreSQL narrows a search down by keys (`search-keys.ts`), and what is left is indexed for this
 * one search and ranked by what ranks all of SQLite's (`src/search/`).
 */
export class SearchTable implements Search {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async hybrid(scope: SearchScope, query: string, limit: number): Promise<WordHit[]> {
    const documents = new SearchDocuments(this.#session, scope);
    const asked: Asked = {
      workspace: scope.workspace,
      folders: await documents.folders(),
      units: unitsOf(query).slice(0, MOST_UNITS),
      most: limit + MARGIN,
    };
    const waiting = await documents.newest(WAITING, MOST_WAITING);
    const found = new Map(
      waiting.filter((each) => holdsOne(each, asked.units, query)).map((each) => [each.file.seq, each]),
    );
    add(found, await this.#exact(documents, asked, query));
    if (found.size >= limit) {
      const hits = await rank(found, query, limit);
      if (hits.length === limit) return hits;
    }
    add(found, waiting.slice(0, asked.most));
    add(found, await this.#loose(documents, asked));
    return rank(found, query, limit);
  }

  /** With all words; with the query as it is spelled. */
  async #exact(documents: SearchDocuments, asked: Asked, query: string): Promise<Found[]> {
    const { workspace, folders, units, most } = asked;
    const all = inEach(units.map((unit) => withUnit(workspace, folders, unit)));
    const literal = withLiteral(workspace, query.trim());
    return [
      ...(units.length === 0 ? [] : await documents.newest(all, most)),
      ...(literal.kind === "any" ? [] : await documents.newest(literal, most)),
    ];
  }

  /** With words near those of the query; then with some of them. */
  async #loose(documents: SearchDocuments, { workspace, folders, units, most }: Asked): Promise<Found[]> {
    if (units.length === 0) return [];
    const sets: Files[] = [];
    for (const unit of units) {
      const words = [unit, ...(await this.#near(workspace, unit))];
      sets.push(inOne(words.map((word) => withUnit(workspace, folders, word))));
    }
    const each = await documents.newest(inEach(sets), most);
    return units.length === 1 ? each : [...each, ...(await documents.newest(inOne(sets), most))];
  }

  async #near(workspace: number, { kind, text }: Unit): Promise<Unit[]> {
    const allowed = kind === "word" ? allowedDistance(text) : 0;
    if (allowed === 0) return [];
    const terms = await this.#session.all(NEAR, workspace, keysOfTerm(workspace, text), smallSlips(text));
    return terms
      .filter(({ term }) => term !== text && distanceWithin(text, term, allowed) <= allowed)
      .slice(0, MOST_NEAR)
      .map(({ term }) => ({ kind: "word", text: term }));
  }

  async regex(scope: SearchScope, regex: CompiledRegex, limit: number, mostSteps: number): Promise<RegexResult> {
    const meter = { left: mostSteps };
    const hits: (Found & { readonly matches: LineMatch[] })[] = [];
    const required = requiredOf(regex.pattern);
    const set = required === null ? ANY : inOne([withNeed(scope.workspace, required), WAITING]);
    for await (const each of new SearchDocuments(this.#session, scope).oldestFirst(set)) {
      meter.left -= each.text.length * regex.stepsPerCharacter;
      const matches = regex.mayMatch(each.text) ? matchLines(each.text, regex, meter, SEARCH_REGEX_LINES) : [];
      if (matches === null || meter.left < 0) return { kind: "too-many-steps" };
      if (matches.length > 0) hits.push({ ...each, matches });
      if (hits.length === limit) break;
    }
    return { kind: "found", hits };
  }
}

type Asked = {
  readonly workspace: number;
  readonly folders: readonly FoldedFolder[];
  readonly units: readonly Unit[];
  readonly most: number;
};

/** Whether a document that is not indexed yet may be one of the better ones. */
function holdsOne({ file, text }: Found, units: readonly Unit[], query: string): boolean {
  const whole = foldText(`${file.path}\n${text}`);
  return whole.includes(foldText(query.trim())) || units.some((unit) => whole.includes(foldText(unit.text)));
}

function add(found: Map<number, Found>, more: readonly Found[]): void {
  for (const each of more) found.set(each.file.seq, each);
}

async function rank(documents: ReadonlyMap<number, Found>, query: string, limit: number): Promise<WordHit[]> {
  const found = [...documents.values()].sort((a, b) => a.file.seq - b.file.seq);
  const index = new Sqlite(":memory:");
  try {
    index.exec(SEARCH_SCHEMA);
    const searched: Searched = {
      accepts: (document) => document < found.length,
      read: (document) => ({ path: found[document]!.file.path, text: found[document]!.text }),
    };
    index.exec("BEGIN");
    const writer = new IndexWriter(index);
    for (const [document, { file, text }] of found.entries()) {
      writer.put(document, file.path, text, true);
      // Others have their turn: a hundred texts take a tenth of a second.
      if (document % DOCUMENTS_OF_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    index.exec("COMMIT");
    const hits = createHybridSearch(index)(searched, query, limit);
    return hits.map(({ document, score, snippets }) => ({ ...found[document]!, score, snippets }));
  } finally {
    index.close();
  }
}
