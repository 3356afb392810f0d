import type { Db } from "./database.ts";
import type { BlockTable } from "./blocks.ts";
import { Statement } from "./statement.ts";

type Side = "local" | "remote";
/** A column of paths; `other`: the path of the same row on the other side. */
type Column = { readonly table: string; readonly column: string; readonly other: string };

/**
 * Columns with paths of a side, each with the path of the same row on the other side. ORDER:
 * conflict copies come before the records, because they are found by the records' paths.
 */
const COLUMNS: Readonly<Record<Side, readonly Column[]>> = {
  local: [
    {
      table: "conflicts",
      column: "conflict_copy_path",
      other: "(SELECT remote_path FROM records WHERE records.id = conflicts.id)",
    },
    { table: "records", column: "local_path", other: "remote_path" },
    { table: "dirs", column: "local_path", other: "remote_path" },
  ],
  remote: [
    { table: "records", column: "remote_path", other: "local_path" },
    { table: "dirs", column: "remote_path", other: "local_path" },
  ],
};
/** A row without a path on the other side moves only with the whole folder. */
const TOMBSTONES = { table: "tombstones", column: "local_path" } as const;

/**
 * Rewrites the paths of a moved folder and of everything below it, within the caller's transaction.
 * Uses ranges of the path's bytes (paths below `a` sort between `a/` and `a0`, "0" being the byte
 * after "/"), so that no pattern needs escaping. Folders rarely move, so a statement is prepared
 * when it is first needed.
 */
export class SubtreeMoves {
  readonly #blocks: BlockTable;
  readonly #whole;
  readonly #members;

  constructor(db: Db, blocks: BlockTable) {
    this.#blocks = blocks;
    this.#whole = {
      local: [...COLUMNS.local, TOMBSTONES].map((column) => wholeMove(db, column)),
      remote: COLUMNS.remote.map((column) => wholeMove(db, column)),
    };
    this.#members = {
      local: COLUMNS.local.map((column) => membersMove(db, column)),
      remote: COLUMNS.remote.map((column) => membersMove(db, column)),
    };
  }

  /** Moves the paths of all rows, including blocks. */
  move(side: Side, from: string, to: string): void {
    for (const { below, self } of this.#whole[side]) {
      below.run({ to, from, ...rangeBelow("from", from) });
      self.run(to, from);
    }
    if (side === "local") this.#blocks.moveSubtree(from, to);
  }

  /** Moves only rows whose path on the other side is at or below `within`. */
  moveMembers(side: Side, from: string, to: string, within: string): void {
    const given = { from, to, within, ...rangeBelow("from", from), ...rangeBelow("within", within) };
    for (const statement of this.#members[side]) statement.run(given);
  }
}

function wholeMove(db: Db, { table, column }: Pick<Column, "table" | "column">) {
  return {
    self: new Statement<[string, string]>(db, `UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`),
    below: new Statement<Record<string, string>>(
      db,
      `UPDATE ${table} SET ${rebased(column)} WHERE ${isBelow(column, "from")}`,
    ),
  };
}

function membersMove(db: Db, { table, column, other }: Column) {
  const where = `${isAtOrBelow(column, "from")} AND ${isAtOrBelow(other, "within")}`;
  return new Statement<Record<string, string>>(db, `UPDATE ${table} SET ${rebased(column)} WHERE ${where}`);
}

function rebased(column: string): string {
  return `${column} = @to || substr(${column}, length(@from) + 1)`;
}

/**
 * Returns the SQL condition for paths below a folder.
 * @param name prefix of the parameters, as `rangeBelow` makes them
 */
function isBelow(column: string, name: string): string {
  return `${column} > @${name}First AND ${column} < @${name}End`;
}

function isAtOrBelow(column: string, name: string): string {
  return `(${column} = @${name} OR (${isBelow(column, name)}))`;
}

function rangeBelow(name: string, path: string): Record<string, string> {
  return { [`${name}First`]: `${path}/`, [`${name}End`]: `${path}0` };
}
