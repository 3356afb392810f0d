import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import { SEARCH_REGEX_LINES } from "../../src/contract/limits.ts";
import type { CompiledRegex } from "../../src/markdown/search/engine.ts";
import { type HybridHit, searchHybrid } from "../../src/markdown/search/hybrid.ts";
import { findBlock, KEY_SCHEMA, KeyIndex } from "../../src/markdown/search/key-index.ts";
import { searchRegex } from "../../src/markdown/search/regex.ts";
import type { FoundDocument, DocumentSource } from "../../src/markdown/search/source.ts";
import type { StepPermit } from "../../src/markdown/search/scheduler.ts";

/** Counts of what a search did. */
export type Counted = { looks: number; read: number; steps: number; takes: number };

/** An index in memory over documents by path, numbered from 1. */
export class MemoryIndex {
  readonly db = new Sqlite(":memory:");
  readonly keys: KeyIndex;
  readonly counted: Counted = { looks: 0, read: 0, steps: 0, takes: 0 };
  /**
   * Returns false for documents that the search must not find. A test may also change something
   * here in the middle of a search.
   */
  accepts: (document: number) => boolean = () => true;
  goesOn: (counted: Counted) => boolean = () => true;
  waiting: number[] = [];
  readonly #entries: readonly { readonly path: string; readonly text: string }[];

  constructor(documents: Readonly<Record<string, string>>) {
    this.db.exec(KEY_SCHEMA);
    this.#entries = Object.entries(documents).map(([path, text]) => ({ path, text }));
    this.keys = new KeyIndex(this.db);
    this.db.transaction(() => {
      for (const [i, { path, text }] of this.#entries.entries()) this.keys.put(1, i + 1, path, text);
    })();
  }

  readonly source: DocumentSource<FoundDocument> = {
    unindexed: async () => this.waiting,
    portion: async (set, order, after) => {
      this.counted.looks++;
      const isNewest = order === "newest";
      const document = isNewest ? (after ?? this.#entries.length + 1) - 1 : (after ?? 0) + 1;
      if (document < 1 || document > this.#entries.length) return { documents: [], next: null };
      const block = findBlock(document);
      const all = Array.from(this.#entries.keys(), (i) => i + 1);
      const documents =
        set.kind === "any"
          ? all.filter((each) => each >= block.first && each <= block.last)
          : this.keys.inBlock(1, block, set);
      return isNewest ? { documents: documents.reverse(), next: block.first } : { documents, next: block.last };
    },
    read: async (documents) =>
      documents.flatMap((document) => {
        const entry = this.#entries[document - 1];
        if (entry === undefined || !this.accepts(document)) return [];
        this.counted.read++;
        return { document, ...entry };
      }),
  };

  readonly pace: StepPermit = {
    take: async (steps) => {
      this.counted.takes++;
      this.counted.steps += steps;
      return this.goesOn(this.counted);
    },
  };

  readonly hybrid = (query: string, limit = 10) => searchHybrid(this.source, this.pace, query, limit);

  /** @throws if the search was ended */
  async hits(query: string, limit = 10): Promise<readonly HybridHit<FoundDocument>[]> {
    const result = await this.hybrid(query, limit);
    if (result.kind !== "found") throw new Error(result.kind);
    return result.hits;
  }

  readonly found = async (query: string, limit = 10): Promise<string[]> =>
    (await this.hits(query, limit)).map(({ found }) => found.path);

  readonly regex = (regex: CompiledRegex, { limit = 500, steps = Number.POSITIVE_INFINITY } = {}) =>
    searchRegex(this.source, this.pace, regex, { limit, steps, lines: SEARCH_REGEX_LINES });
}

export function memoryIndex(documents: Readonly<Record<string, string>>): MemoryIndex {
  const index = new MemoryIndex(documents);
  onTestFinished(() => void index.db.close());
  return index;
}
