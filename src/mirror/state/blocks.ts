import type { Block } from "../model/record.ts";
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
] as const satisfies readonly (keyof Block)[];

export class BlockTable extends KeyedTable<Block, "key"> {
  constructor(db: Db) {
    super(db, { table: "blocked", key: "key", columns: new Columns(MEMBERS) });
  }

  /**
   * Replaces all blocks, within the caller's transaction. If two have the same key, the last one is
   * stored.
   */
  replace(blocks: readonly Block[]): void {
    const before = this.load();
    const after = new Map(blocks.map((block) => [block.key, block]));
    for (const key of before.keys()) if (!after.has(key)) this.remove(key);
    for (const block of after.values()) {
      const known = before.get(block.key);
      const since = known?.reason === block.reason && known.detail === block.detail ? known.since : block.since;
      const next = { ...block, since };
      if (known === undefined || !isEqual(known, next)) this.put(next);
    }
  }

  /**
   * Rewrites the paths of blocks at and below `from`, within the caller's transaction. ORDER:
   * removes all these blocks before it stores them with new paths. The path may be the key of a
   * block, and a new key may equal the old key of another block.
   */
  moveSubtree(from: string, to: string): void {
    const moved = [...this.load().values()].filter(({ path }) => path === from || path.startsWith(`${from}/`));
    for (const block of moved) this.remove(block.key);
    for (const block of moved) {
      const path = rebase(block.path, from, to);
      this.put({ ...block, path, key: block.key === block.path ? path : block.key });
    }
  }
}

function isEqual(a: Block, b: Block): boolean {
  return MEMBERS.every((member) => a[member] === b[member]);
}
