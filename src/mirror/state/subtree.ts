import type { Db } from "./database.ts";
import type { BlockTable } from "./blocks.ts";
import { Statement } from "../../common/statement.ts";

type TreeSide = "local" | "remote";
/** A column of paths; `other`: the path of the same row on the other side. */
type Column = { readonly table: string; readonly column: string; readonly other: string };

/**
 * Columns with paths of a side, each with the path of the same row on the other side. ORDER: the
 * rows of conflict copies are found by the paths of records, so they are moved before the records.
 */
const COLUMNS: Readonly<Record<TreeSide, readonly Column[]>> = {
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
/** Table whose rows have no path on the other side. Such a row moves only with the whole folder. */
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
      local: [...COLUMNS.local, TOMBSTONES].map((column) => moveOf(db, column)),
      remote: COLUMNS.remote.map((column) => moveOf(db, column)),
    };
    this.#members = {
      local: COLUMNS.local.map((column) => moveOf(db, column, column.other)),
      remote: COLUMNS.remote.map((column) => moveOf(db, column, column.other)),
    };
  }

  /** Rewrites the paths of all rows at or below `from`, including blocks. */
  move(side: TreeSide, from: string, to: string): void {
    for (const statement of this.#whole[side]) statement.run({ to, ...rangeOf("from", from) });
    if (side === "local") this.#blocks.moveSubtree(from, to);
  }

  /** Moves only rows whose path on the other side is at or below `within`. */
  moveMembers(side: TreeSide, from: string, to: string, within: string): void {
    const parameters = { to, ...rangeOf("from", from), ...rangeOf("within", within) };
    for (const statement of this.#members[side]) statement.run(parameters);
  }
}

/**
 * Prepares the statement that moves paths of a column from one folder to another.
 * @param other SQL of a second path: only rows with this path at or below `within` are moved.
 * Undefined: all rows are moved
 */
function moveOf(db: Db, { table, column }: Pick<Column, "table" | "column">, other?: string) {
  const where = [isAtOrBelow(column, "from"), ...(other === undefined ? [] : [isAtOrBelow(other, "within")])];
  return new Statement<Record<string, string>>(
    db,
    `UPDATE ${table} SET ${column} = @to || substr(${column}, length(@from) + 1) WHERE ${where.join(" AND ")}`,
  );
}

/**
 * Returns the SQL condition for a folder's path and paths below it.
 * @param name prefix of the parameters, as `rangeOf` makes them
 */
function isAtOrBelow(column: string, name: string): string {
  return `(${column} = @${name} OR (${column} > @${name}First AND ${column} < @${name}End))`;
}

function rangeOf(name: string, path: string): Record<string, string> {
  return { [name]: path, [`${name}First`]: `${path}/`, [`${name}End`]: `${path}0` };
}
