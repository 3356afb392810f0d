import type { ChangeId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { HoldReason } from "../model/hold.ts";
import type { Hold } from "../model/link.ts";
import { rebase } from "../../contract/path.ts";
import { upsert, WithStatements } from "./statement.ts";

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

const COLUMNS = "key, path, reason, code, detail, request_id, digest, change_id, since";

export class HoldTable extends WithStatements {
  readonly #all = this.sql<[], HoldRow>(`SELECT ${COLUMNS} FROM blocked`, "raw");
  readonly #put = this.sql(upsert("blocked", "key", COLUMNS.split(", ")));
  readonly #remove = this.sql<[string]>("DELETE FROM blocked WHERE key = ?");

  /** Returns the blocks by key. */
  load(): Map<string, Hold> {
    const holds = new Map<string, Hold>();
    for (const [key, path, reason, code, detail, requestId, digest, changeId, since] of this.#all.all()) {
      holds.set(key, { key, path, reason, code, detail, requestId, digest, changeId, since });
    }
    return holds;
  }

  put(hold: Hold): void {
    const { key, path, reason, code, detail, requestId, digest, changeId, since } = hold;
    this.#put.run(key, path, reason, code, detail, requestId, digest, changeId, since);
  }

  remove(key: string): void {
    this.#remove.run(key);
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
