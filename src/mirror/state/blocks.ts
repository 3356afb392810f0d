import type { Block } from "../model/record.ts";
import { rebase } from "../../contract/path.ts";
import type { SqliteDatabase } from "./database.ts";
import { TableColumns, KeyedTable } from "./keyed-table.ts";

const BLOCK_MEMBERS = [
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
  constructor(db: SqliteDatabase) {
    super(db, { table: "blocked", key: "key", columns: new TableColumns(BLOCK_MEMBERS) });
  }

  /**
   * Replaces all blocks, in the caller's transaction. If two blocks are for the same document,
   * folder or path, only the last one is stored.
   */
  replace(blocks: readonly Block[]): void {
    const storedBlocks = this.load();
    const newBlocks = new Map(blocks.map((block) => [block.key, block]));
    for (const key of storedBlocks.keys()) if (!newBlocks.has(key)) this.remove(key);
    for (const block of newBlocks.values()) {
      const storedBlock = storedBlocks.get(block.key);
      const blockedSince =
        storedBlock?.reason === block.reason && storedBlock.detail === block.detail ? storedBlock.since : block.since;
      const blockToStore = { ...block, since: blockedSince };
      if (storedBlock === undefined || !areBlocksEqual(storedBlock, blockToStore)) this.put(blockToStore);
    }
  }

  /**
   * Rewrites the paths of blocks at and below `from`, in the caller's transaction. ORDER: first
   * removes all these blocks, then stores them with their new paths, because a new key may equal
   * the old key of another block.
   */
  moveSubtree(from: string, to: string): void {
    const movedBlocks = [...this.load().values()].filter(({ path }) => path === from || path.startsWith(`${from}/`));
    for (const block of movedBlocks) this.remove(block.key);
    for (const block of movedBlocks) {
      const newPath = rebase(block.path, from, to);
      this.put({ ...block, path: newPath, key: block.key === block.path ? newPath : block.key });
    }
  }
}

function areBlocksEqual(a: Block, b: Block): boolean {
  return BLOCK_MEMBERS.every((member) => a[member] === b[member]);
}
