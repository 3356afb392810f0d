import type { Hold } from "../model/link.ts";
import { rebase } from "../../contract/path.ts";
import type { Db } from "./database.ts";
import { Columns, KeyedTable } from "./keyed-table.ts";

const MEMBERS = [
  "key",
  "path",
  "reason",
  "code",
  "detail",
  "requestId",
  "digest",
  "changeId",
  "since",
] as const satisfies readonly (keyof Hold)[];

export class HoldTable extends KeyedTable<Hold, "key"> {
  constructor(db: Db) {
    super(db, { table: "blocked", key: "key", columns: new Columns(MEMBERS) });
  }

  /**
   * Replaces all blocks, within a transaction of the caller. If two have the same key, the last one
   * counts.
   */
  replace(holds: readonly Hold[]): void {
    const before = this.load();
    const after = new Map(holds.map((hold) => [hold.key, hold]));
    for (const key of before.keys()) if (!after.has(key)) this.remove(key);
    for (const hold of after.values()) {
      const known = before.get(hold.key);
      const since = known?.reason === hold.reason && known.detail === hold.detail ? known.since : hold.since;
      const next = { ...hold, since };
      if (known === undefined || !isEqual(known, next)) this.put(next);
    }
  }

  /**
   * Rewrites the paths at and below `from`, within a transaction of the caller. A block without an
   * id has its path as key. So all such blocks are removed first and added afterwards: no new key
   * can then equal an old one.
   */
  moveSubtree(from: string, to: string): void {
    const moved = [...this.load().values()].filter(({ path }) => path === from || path.startsWith(`${from}/`));
    for (const hold of moved) this.remove(hold.key);
    for (const hold of moved) {
      const path = rebase(hold.path, from, to);
      this.put({ ...hold, path, key: hold.key === hold.path ? path : hold.key });
    }
  }
}

function isEqual(a: Hold, b: Hold): boolean {
  return MEMBERS.every((member) => a[member] === b[member]);
}
