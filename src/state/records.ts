import type { ChangeId, DocId } from "../contract/ids.ts";
import type { Digest } from "../model/digest.ts";
import type { Conflict, ShownVersion, Tombstone } from "../model/link.ts";
import type { Db } from "./database.ts";
import { upsert } from "./upsert.ts";

type TombstoneRow = [DocId, string, string, ChangeId, Digest, string | null, number];

export function openTombstones(db: Db) {
  const columns = "id, local_path, remote_path, change_id, digest, trash_path, at";
  const all = db.prepare<[], TombstoneRow>(`SELECT ${columns} FROM tombstones`).raw();
  const put = db.prepare(upsert("tombstones", "id", columns.split(", ")));
  const remove = db.prepare<[DocId]>("DELETE FROM tombstones WHERE id = ?");
  return {
    load(): Map<DocId, Tombstone> {
      const tombstones = new Map<DocId, Tombstone>();
      for (const [id, localPath, remotePath, changeId, digest, trashPath, at] of all.all()) {
        tombstones.set(id, { id, localPath, remotePath, changeId, digest, trashPath, at });
      }
      return tombstones;
    },
    put(stone: Tombstone): void {
      const { id, localPath, remotePath, changeId, digest, trashPath, at } = stone;
      put.run(id, localPath, remotePath, changeId, digest, trashPath, at);
    },
    remove(id: DocId): void {
      remove.run(id);
    },
  };
}

type ConflictRow = {
  readonly id: DocId;
  readonly base_digest: Digest | null;
  readonly base_change_id: ChangeId | null;
  readonly sidecar_path: string;
  readonly sidecar_ino: number;
  readonly sidecar_dev: number;
  readonly shown: string;
  readonly looks_gone: number;
  readonly since: number;
};

export function openConflicts(db: Db) {
  const columns =
    "id, base_digest, base_change_id, sidecar_path, sidecar_ino, sidecar_dev, shown, looks_gone, since".split(", ");
  const all = db.prepare<[], ConflictRow>("SELECT * FROM conflicts");
  const one = db.prepare<[DocId], ConflictRow>("SELECT * FROM conflicts WHERE id = ?");
  const put = db.prepare(upsert("conflicts", "id", columns));
  const remove = db.prepare<[DocId]>("DELETE FROM conflicts WHERE id = ?");
  return {
    load(): Map<DocId, Conflict> {
      return new Map(all.all().map((row) => [row.id, conflictOf(row)]));
    },
    get(id: DocId): Conflict | null {
      const row = one.get(id);
      return row === undefined ? null : conflictOf(row);
    },
    put(conflict: Conflict): void {
      put.run(
        conflict.id,
        conflict.baseDigest,
        conflict.baseChangeId,
        conflict.sidecarPath,
        conflict.sidecarIno,
        conflict.sidecarDev,
        JSON.stringify(conflict.shown),
        conflict.looksGone,
        conflict.since,
      );
    },
    remove(id: DocId): void {
      remove.run(id);
    },
  };
}

function conflictOf(row: ConflictRow): Conflict {
  return {
    id: row.id,
    baseDigest: row.base_digest,
    baseChangeId: row.base_change_id,
    sidecarPath: row.sidecar_path,
    sidecarIno: row.sidecar_ino,
    sidecarDev: row.sidecar_dev,
    shown: JSON.parse(row.shown) as ShownVersion[],
    looksGone: row.looks_gone,
    since: row.since,
  };
}
