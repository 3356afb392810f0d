import type { ChangeId } from "../contract/ids.ts";
import type { Digest } from "../model/digest.ts";
import type { HoldReason } from "../model/hold.ts";
import type { Hold } from "../model/link.ts";
import { once } from "../model/once.ts";
import type { Db } from "./database.ts";
import { upsert } from "./upsert.ts";

type HoldRow = [
  key: string,
  path: string,
  reason: HoldReason,
  code: string | null,
  detail: string,
  requestId: string | null,
  digest: Digest | null,
  changeId: ChangeId | null,
  since: number,
];

export function openHolds(db: Db) {
  const columns = "key, path, reason, code, detail, request_id, digest, change_id, since";
  const all = db.prepare<[], HoldRow>(`SELECT ${columns} FROM holds`).raw();
  const putRow = once(() => db.prepare(upsert("holds", "key", columns.split(", "))));
  const removeRow = once(() => db.prepare<[string]>("DELETE FROM holds WHERE key = ?"));

  function load(): Map<string, Hold> {
    const holds = new Map<string, Hold>();
    for (const [key, path, reason, code, detail, requestId, digest, changeId, since] of all.all()) {
      holds.set(key, { key, path, reason, code, detail, requestId, digest, changeId, since });
    }
    return holds;
  }

  function put(hold: Hold): void {
    const { key, path, reason, code, detail, requestId, digest, changeId, since } = hold;
    putRow().run(key, path, reason, code, detail, requestId, digest, changeId, since);
  }

  /** Within a transaction of the caller. Of two with one key the last counts. */
  function replace(holds: readonly Hold[]): void {
    const before = load();
    const after = new Map(holds.map((hold) => [hold.key, hold]));
    for (const key of before.keys()) if (!after.has(key)) removeRow().run(key);
    for (const hold of after.values()) {
      const known = before.get(hold.key);
      const since = known?.reason === hold.reason && known.detail === hold.detail ? known.since : hold.since;
      const next = { ...hold, since };
      if (known === undefined || !isEqual(known, next)) put(next);
    }
  }

  return {
    load,
    put,
    remove(key: string): void {
      removeRow().run(key);
    },
    replace,
  };
}

function isEqual(a: Hold, b: Hold): boolean {
  return (
    a.path === b.path &&
    a.reason === b.reason &&
    a.code === b.code &&
    a.detail === b.detail &&
    a.requestId === b.requestId &&
    a.digest === b.digest &&
    a.changeId === b.changeId &&
    a.since === b.since
  );
}
