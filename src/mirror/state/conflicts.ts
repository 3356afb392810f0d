import type { DocId } from "../../contract/ids.ts";
import type { Conflict, Stamp } from "../model/link.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Db } from "./database.ts";
import { Columns, KeyedTable } from "./keyed-table.ts";

const COLUMNS = new Columns<keyof Conflict>(
  ["id", "baseDigest", "baseChangeId", "newestCopyPath", "shown", "looksGone", "since"],
  { newestCopyPath: "conflict_copy_path" },
);

/** Documents in conflict. */
export class ConflictTable extends KeyedTable<Conflict, "id"> {
  readonly #ofOther = this.sql<[LocalPath, DocId], { readonly found: 0 | 1 }>(
    "SELECT EXISTS (SELECT 1 FROM conflicts WHERE conflict_copy_path = ? AND id <> ?) AS found",
  );
  readonly #inodeOfOther = this.sql<
    [DocId, number, number],
    { readonly found: 0 | 1 }
  >(`SELECT EXISTS (SELECT 1 FROM conflicts, json_each(shown) AS version
     WHERE conflicts.id <> ? AND version.value ->> 'dev' = ? AND version.value ->> 'ino' = ?) AS found`);

  constructor(db: Db) {
    super(db, { table: "conflicts", key: "id", columns: COLUMNS, json: ["shown"] });
  }

  isCopyOfOther(id: DocId, path: LocalPath): boolean {
    return this.#ofOther.get(path, id)?.found === 1;
  }

  isCopyInodeOfOther(id: DocId, { dev, ino }: Pick<Stamp, "dev" | "ino">): boolean {
    return this.#inodeOfOther.get(id, dev, ino)?.found === 1;
  }
}
