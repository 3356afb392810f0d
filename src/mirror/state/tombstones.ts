import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Tombstone } from "../model/link.ts";
import type { Db } from "./database.ts";
import { Statement } from "./statement.ts";
import { upsert } from "./upsert.ts";

type TombstoneRow = [DocId, string, string, ChangeId, Digest, string | null, number];

const COLUMNS = "id, local_path, remote_path, change_id, digest, trash_path, at";

export class TombstoneTable {
  readonly #all;
  readonly #put;
  readonly #remove;

  constructor(db: Db) {
    this.#all = new Statement<[], TombstoneRow>(db, `SELECT ${COLUMNS} FROM tombstones`, "raw");
    this.#put = new Statement(db, upsert("tombstones", "id", COLUMNS.split(", ")));
    this.#remove = new Statement<[DocId]>(db, "DELETE FROM tombstones WHERE id = ?");
  }

  load(): Map<DocId, Tombstone> {
    const tombstones = new Map<DocId, Tombstone>();
    for (const [id, localPath, remotePath, changeId, digest, trashPath, at] of this.#all.all()) {
      tombstones.set(id, { id, localPath, remotePath, changeId, digest, trashPath, at });
    }
    return tombstones;
  }

  put({ id, localPath, remotePath, changeId, digest, trashPath, at }: Tombstone): void {
    this.#put.run(id, localPath, remotePath, changeId, digest, trashPath, at);
  }

  remove(id: DocId): void {
    this.#remove.run(id);
  }
}
