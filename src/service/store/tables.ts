import type { KeySet } from "../../markdown/search/keys.ts";
import type { AgeOrder, DocumentPage } from "../../markdown/search/source.ts";
import type { OutboxTable } from "../events/outbox.ts";
import type { CommonTables } from "./common-tables.ts";
import type { Files, FoundFile } from "./files-table.ts";
import type { FileRow, GrantRow, Holder, Page, ShownPage } from "./rows.ts";

/** Tables as one transaction sees them; unusable after its end. */
export type Tables = CommonTables & {
  readonly files: Files & {
    /**
     * Returns rows as `all` does, in the form of JSON that is remembered with each row. Left out if
     * the store remembers nothing.
     */
    allShown?(page: Page, shown: (row: FileRow) => string): Promise<ShownPage>;
  };
  readonly search: Search;
  /** Table of changes for listeners. */
  readonly outbox: OutboxTable;
  /** Returns the key with that hash and its access, as `Store.holder` does. */
  holder(hash: Buffer): Promise<Holder | undefined>;
  /** Runs work in a savepoint of this write, which can be rolled back alone. */
  nested<T>(work: (tables: Tables) => Promise<T>, keep?: (result: T) => boolean): Promise<T>;
};

/** Files of a workspace that a key may read, below the folder `prefix`; null for anywhere. */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /** Grants of the key; the nearest one above a file decides (see `Access`). */
  readonly grants: readonly GrantRow[];
};

/** Reads of a search in one workspace, in short calls; `src/markdown/search/` does the search. */
export type Search = {
  /** Returns written files that are not indexed yet, the newest write first; at most a limit. */
  waiting(workspace: number): Promise<readonly number[]>;
  /**
   * Returns a portion of candidates (see `Source.portion`). Some may be files that the key may not
   * read.
   */
  portion(scope: SearchScope, set: KeySet, order: AgeOrder, after: number | null): Promise<DocumentPage>;
  /** Returns those of the documents that are in the scope now, in the same order. */
  read(scope: SearchScope, documents: readonly number[]): Promise<readonly FoundFile[]>;
};
