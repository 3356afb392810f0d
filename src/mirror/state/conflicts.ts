import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Conflict, ShownVersion, Stamp } from "../model/link.ts";
import type { LocalPath } from "../../contract/path.ts";
import { upsert, WithStatements } from "./statement.ts";

type ConflictRow = {
  readonly id: DocId;
  readonly base_digest: Digest | null;
  readonly base_change_id: ChangeId | null;
  readonly conflict_copy_path: string;
  /** Shown versions and their copies, as JSON. */
  readonly shown: string;
  readonly looks_gone: number;
  readonly since: number;
};

const COLUMNS = "id, base_digest, base_change_id, conflict_copy_path, shown, looks_gone, since";

/** Documents in conflict. */
export class ConflictTable extends WithStatements {
  readonly #all = this.sql<[], ConflictRow>("SELECT * FROM conflicts");
  readonly #one = this.sql<[DocId], ConflictRow>("SELECT * FROM conflicts WHERE id = ?");
  readonly #ofOther = this.sql<[LocalPath, DocId], { readonly found: 0 | 1 }>(
    "SELECT EXISTS (SELECT 1 FROM conflicts WHERE conflict_copy_path = ? AND id <> ?) AS found",
  );
  readonly #inodeOfOther = this.sql<
    [DocId, number, number],
    { readonly found: 0 | 1 }
  >(`SELECT EXISTS (SELECT 1 FROM conflicts, json_each(shown) AS version
     WHERE conflicts.id <> ? AND version.value ->> 'dev' = ? AND version.value ->> 'ino' = ?) AS found`);
  readonly #put = this.sql(upsert("conflicts", "id", COLUMNS.split(", ")));
  readonly #remove = this.sql<[DocId]>("DELETE FROM conflicts WHERE id = ?");

  load(): Map<DocId, Conflict> {
    return new Map(this.#all.all().map((row) => [row.id, conflictOf(row)]));
  }

  get(id: DocId): Conflict | null {
    const row = this.#one.get(id);
    return row === undefined ? null : conflictOf(row);
  }

  isCopyOfOther(id: DocId, path: LocalPath): boolean {
    return this.#ofOther.get(path, id)?.found === 1;
  }

  isCopyInodeOfOther(id: DocId, { dev, ino }: Pick<Stamp, "dev" | "ino">): boolean {
    return this.#inodeOfOther.get(id, dev, ino)?.found === 1;
  }

  put(conflict: Conflict): void {
    this.#put.run(
      conflict.id,
      conflict.baseDigest,
      conflict.baseChangeId,
      conflict.newestCopyPath,
      JSON.stringify(conflict.shown),
      conflict.looksGone,
      conflict.since,
    );
  }

  remove(id: DocId): void {
    this.#remove.run(id);
  }
}

function conflictOf(row: ConflictRow): Conflict {
  return {
    id: row.id,
    baseDigest: row.base_digest,
    baseChangeId: row.base_change_id,
    newestCopyPath: row.conflict_copy_path,
    shown: JSON.parse(row.shown) as ShownVersion[],
    looksGone: row.looks_gone,
    since: row.since,
  };
}
