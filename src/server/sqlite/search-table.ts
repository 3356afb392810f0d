import type { CompiledRegex } from "../../search/engine.ts";
import type { Searched } from "../../search/hybrid.ts";
import { includes, Levels } from "../access.ts";
import { type FileRow, ROOT } from "../rows.ts";
import { isDiskFull } from "../store.ts";
import type { RegexResult, Search, SearchScope, WordHit } from "../tables.ts";
import type { FilesTable } from "./files-table.ts";
import type { FoldersTable } from "./folders-table.ts";
import type { SearchIndex } from "./search-index.ts";

/**
 * What a search indexes before it answers: all that was written, or, in a service that answers
 * many, one step of it. That step mostly finds the caller's own last write, since the newest comes
 * first.
 */
export type CatchesUp = "all" | "a-step";

type Parts = {
  readonly files: FilesTable;
  readonly folders: FoldersTable;
  readonly catchesUp: CatchesUp;
  /** One transaction, or a savepoint of the one that is open. */
  readonly transactUnsynced: (work: () => void) => void;
  /** Lets others have their turn; null within a transaction, which has to end in its own. */
  readonly pauseOf: () => (() => Promise<void>) | null;
};

/** LIMIT: steps of a regex until others have their turn: some 3 to 50 ms of processor time. */
const STEPS_OF_A_TURN = 4_000_000;

export class SearchTable implements Search {
  readonly #index: SearchIndex;
  readonly #parts: Parts;

  constructor(index: SearchIndex, parts: Parts) {
    this.#index = index;
    this.#parts = parts;
  }

  async hybrid(scope: SearchScope, query: string, limit: number): Promise<WordHit[]> {
    this.#catchUp();
    const hits = this.#index.hybrid(this.#searchedBy(scope), query, limit);
    return hits.map(({ document, score, snippets }) => ({ ...this.#found(document), score, snippets }));
  }

  async regex(scope: SearchScope, regex: CompiledRegex, limit: number, mostSteps: number): Promise<RegexResult> {
    this.#catchUp();
    const walk = this.#index.regex(this.#searchedBy(scope), regex, limit, mostSteps);
    const pause = this.#parts.pauseOf();
    let result = walk.step(pause === null ? mostSteps : STEPS_OF_A_TURN);
    while (result === null) {
      await pause?.();
      result = walk.step(STEPS_OF_A_TURN);
    }
    if (result.kind === "too-many-steps") return result;
    // What was found before a pause may be gone, or where the key may not read it.
    const { accepts } = this.#searchedBy(scope);
    const hits = result.hits.filter(({ document }) => accepts(document));
    return { kind: "found", hits: hits.map(({ document, matches }) => ({ ...this.#found(document), matches })) };
  }

  /** With the live text: the index may have seen an older one. */
  #found(document: number): { readonly file: FileRow; readonly text: string } {
    const file = this.#parts.files.bySeq(document)!;
    return { file, text: this.#parts.files.liveText(file) };
  }

  #catchUp(): void {
    const { catchesUp, transactUnsynced } = this.#parts;
    if (!this.#index.isBehind()) return;
    try {
      transactUnsynced(() => {
        if (catchesUp === "all") this.#index.update(Number.MAX_SAFE_INTEGER);
        else this.#index.catchUp();
      });
    } catch (error) {
      // On a full disk nothing more can be indexed, and what is indexed can still be searched.
      if (!isDiskFull(error)) throw error;
    }
  }

  /** A prefix that names nothing finds nothing. */
  #searchedBy({ workspace, prefix, grants }: SearchScope): Searched {
    const { folders } = this.#parts;
    const levels = new Levels(grants, (folder) => folders.parentOf(folder));
    const inside = new Map<number, boolean>();
    const isInside = (folder: number): boolean => {
      if (prefix === null) return true;
      if (folder === ROOT) return false;
      const before = inside.get(folder);
      if (before !== undefined) return before;
      const path = folders.bySeq(folder)?.path;
      const now = path === prefix || path?.startsWith(`${prefix}/`) === true;
      inside.set(folder, now);
      return now;
    };
    return {
      accepts: (document) => {
        const place = this.#index.placeOf(document);
        if (place === undefined || place.workspace !== workspace || !isInside(place.folder)) return false;
        return includes(levels.file({ seq: document, folder: place.folder }), "read");
      },
      read: (document) => this.#index.read(document),
    };
  }
}
