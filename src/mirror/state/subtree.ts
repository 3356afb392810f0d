import type { SqliteDatabase } from "./database.ts";
import type { BlockTable } from "./blocks.ts";
import { Statement } from "../../common/statement.ts";

type TreeSide = "local" | "remote";
/**
 * A column with paths of one side. `other`: the column of the same row with the path on the other
 * side.
 */
type PathColumn = { readonly table: string; readonly column: string; readonly other: string };

/**
 * ORDER: conflict copies come before records, because their rows are selected by the paths of
 * records.
 */
const PATH_COLUMNS: Readonly<Record<TreeSide, readonly PathColumn[]>> = {
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
/**
 * Tombstones have no path on the other side. So they get new paths only if all rows below the
 * folder do.
 */
const TOMBSTONE_PATHS = { table: "tombstones", column: "local_path" } as const;

/**
 * Rewrites the paths of a moved folder and everything below it, within the caller's transaction.
 * Selects rows by a range, so that no pattern needs escaping: in sorted order, paths below `a` are
 * between `a/` and `a0`, because "0" follows "/". Statements are prepared when they are first
 * needed, because folders rarely move.
 */
export class SubtreeMoves {
  readonly #blocks: BlockTable;
  readonly #whole;
  readonly #members;

  constructor(db: SqliteDatabase, blocks: BlockTable) {
    this.#blocks = blocks;
    this.#whole = {
      local: [...PATH_COLUMNS.local, TOMBSTONE_PATHS].map((column) => prepareMove(db, column)),
      remote: PATH_COLUMNS.remote.map((column) => prepareMove(db, column)),
    };
    this.#members = {
      local: PATH_COLUMNS.local.map((column) => prepareMove(db, column, column.other)),
      remote: PATH_COLUMNS.remote.map((column) => prepareMove(db, column, column.other)),
    };
  }

  /** Rewrites the paths of all rows at or below `from`, also of blocks. */
  move(side: TreeSide, from: string, to: string): void {
    for (const statement of this.#whole[side]) statement.run({ to, ...makeRange("from", from) });
    if (side === "local") this.#blocks.moveSubtree(from, to);
  }

  moveMembers(side: TreeSide, from: string, to: string, within: string): void {
    const parameters = { to, ...makeRange("from", from), ...makeRange("within", within) };
    for (const statement of this.#members[side]) statement.run(parameters);
  }
}

/**
 * Returns the statement that rewrites the paths in a column.
 * @param other SQL of the path on the other side, which must be at or below `within`; undefined to
 * rewrite all rows
 */
function prepareMove(db: SqliteDatabase, { table, column }: Pick<PathColumn, "table" | "column">, other?: string) {
  const conditions = [
    makeAtOrBelowCondition(column, "from"),
    ...(other === undefined ? [] : [makeAtOrBelowCondition(other, "within")]),
  ];
  return new Statement<Record<string, string>>(
    db,
    `UPDATE ${table} SET ${column} = @to || substr(${column}, length(@from) + 1) WHERE ${conditions.join(" AND ")}`,
  );
}

/**
 * Returns the SQL condition for a path at or below a folder's path.
 * @param name prefix of the SQL parameters, which `makeRange` returns
 */
function makeAtOrBelowCondition(column: string, name: string): string {
  return `(${column} = @${name} OR (${column} > @${name}First AND ${column} < @${name}End))`;
}

function makeRange(name: string, path: string): Record<string, string> {
  return { [name]: path, [`${name}First`]: `${path}/`, [`${name}End`]: `${path}0` };
}
