import type { ChangeId, DocId } from "../contract/ids.ts";
import type { Digest } from "../model/digest.ts";
import type { Intent, OpenIntent, Version } from "../ports/state.ts";
import { once } from "../model/once.ts";
import type { Db } from "./database.ts";

export function openIntents(db: Db) {
  const insert = once(() => db.prepare<[number, string]>("INSERT INTO intents (run, intent) VALUES (?, ?)"));
  const remove = once(() => db.prepare<[number]>("DELETE FROM intents WHERE intent_id = ?"));
  const runOf = once(() => db.prepare<[number], { run: number }>("SELECT run FROM intents WHERE intent_id = ?"));
  const all = db.prepare<[], { intent_id: number; run: number; intent: string }>(
    "SELECT intent_id, run, intent FROM intents ORDER BY intent_id",
  );
  return {
    open(run: number, intent: Intent): number {
      return Number(insert().run(run, JSON.stringify(intent)).lastInsertRowid);
    },
    close(intentId: number): void {
      remove().run(intentId);
    },
    /** Within a transaction of the caller. */
    turn(intentId: number, next: Intent): void {
      const row = runOf().get(intentId);
      if (row === undefined) throw new Error(`intent ${intentId} is not open`);
      remove().run(intentId);
      insert().run(row.run, JSON.stringify(next));
    },
    all(): OpenIntent[] {
      return all.all().map((row) => ({
        intentId: row.intent_id,
        run: row.run,
        intent: JSON.parse(row.intent) as Intent,
      }));
    },
  };
}

type VersionRow = [DocId, ChangeId, Digest, number];

export function openVersions(db: Db) {
  // A change id names one saved version; seen again it keeps its place in the order of arrival.
  const insert = db.prepare(
    "INSERT INTO versions (id, change_id, digest, at) VALUES (?, ?, ?, ?) " +
      "ON CONFLICT (id, change_id) DO UPDATE SET digest = excluded.digest WHERE digest <> excluded.digest",
  );
  const byId = db
    .prepare<[DocId], VersionRow>("SELECT id, change_id, digest, at FROM versions WHERE id = ? ORDER BY seq DESC")
    .raw();
  const arrival = db
    .prepare<[DocId, ChangeId], number>("SELECT seq FROM versions WHERE id = ? AND change_id = ?")
    .pluck();
  return {
    add(version: Version): void {
      insert.run(version.id, version.changeId, version.digest, version.at);
    },
    of(id: DocId): Version[] {
      return byId.all(id).map(([doc, changeId, digest, at]) => ({ id: doc, changeId, digest, at }));
    },
    isEarlier(id: DocId, changeId: ChangeId, than: ChangeId): boolean {
      const [first, second] = [arrival.get(id, changeId), arrival.get(id, than)];
      return first !== undefined && second !== undefined && first < second;
    },
  };
}
