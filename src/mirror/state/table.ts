import type Sqlite from "better-sqlite3";
import { type RowMode, Statement } from "../../common/statement.ts";
import type { SqliteDatabase } from "./database.ts";

/** Base class for tables. Prepares statements for one connection, and keeps them. */
export abstract class TableWithStatements {
  protected readonly db: Sqlite.Database;

  constructor(db: Sqlite.Database) {
    this.db = db;
  }

  protected sql<Values extends unknown[] | object = unknown[], Row = unknown>(sql: string, mode: RowMode = "rows") {
    return new Statement<Values, Row>(this.db, sql, mode);
  }
}

/**
 * Returns SQL that inserts a row, or updates the row with the same key. An updated row keeps its
 * position in the order of rows.
 */
export function makeUpsertSql(table: string, key: string, columns: readonly string[]): string {
  const updates = columns.filter((column) => column !== key).map((column) => `${column} = excluded.${column}`);
  const placeholders = columns.map(() => "?").join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${placeholders}) ON CONFLICT (${key}) DO UPDATE SET ${updates.join(", ")}`;
}

/**
 * Returns the SQL condition for a path at or below a folder's path. A range needs no escaping,
 * unlike a pattern: in sorted order, paths below `a` are between `a/` and `a0`, because "0" follows
 * "/".
 * @param name prefix of the SQL parameters, which `makeRange` returns
 */
export function makeAtOrBelowCondition(column: string, name: string): string {
  return `(${column} = @${name} OR (${column} > @${name}First AND ${column} < @${name}End))`;
}

export function makeRange(name: string, path: string): Record<string, string> {
  return { [name]: path, [`${name}First`]: `${path}/`, [`${name}End`]: `${path}0` };
}

/** Returns the SQL of a path after a folder above it moved from `@from` to `@to`. */
export function makeMovedPath(column: string): string {
  return `@to || substr(${column}, length(@from) + 1)`;
}

/** Columns of a table, and the field of a row that each column stores. */
export class TableColumns<Member extends string> {
  readonly members: readonly Member[];
  readonly names: readonly string[];
  /** List of columns for SELECT. Each column gets the name of its field. */
  readonly selected: string;

  /** @param renamed columns with names that cannot be derived from the names of their fields */
  constructor(members: readonly Member[], renamed: { readonly [Name in Member]?: string } = {}) {
    this.members = members;
    this.names = members.map((member) => renamed[member] ?? toSnakeCase(member));
    this.selected = members.map((member, index) => `${this.names[index]} AS "${member}"`).join(", ");
  }
}

function toSnakeCase(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type MemberOf<Row> = keyof Row & string;

type TableLayout<Row, Key extends MemberOf<Row>> = {
  readonly table: string;
  readonly key: Key;
  readonly columns: TableColumns<MemberOf<Row>>;
  readonly json?: readonly MemberOf<Row>[];
};

/** A table with a key. Rows are read in the order in which their keys were first stored. */
export class KeyedTable<Row extends object, Key extends MemberOf<Row>> extends TableWithStatements {
  readonly #layout: TableLayout<Row, Key>;
  readonly #all;
  readonly #one;
  readonly #put;
  readonly #remove;

  constructor(db: SqliteDatabase, layout: TableLayout<Row, Key>) {
    super(db);
    const { table, key, columns } = layout;
    const select = `SELECT ${columns.selected} FROM ${table}`;
    this.#layout = layout;
    this.#all = this.sql<[], Row>(select);
    this.#one = this.sql<[Row[Key]], Row>(`${select} WHERE ${key} = ?`);
    this.#put = this.sql(makeUpsertSql(table, key, columns.names));
    this.#remove = this.sql<[Row[Key]]>(`DELETE FROM ${table} WHERE ${key} = ?`);
  }

  load(): Map<Row[Key], Row> {
    return new Map(this.#all.all().map((row) => [row[this.#layout.key], this.#read(row)] as const));
  }

  get(key: Row[Key]): Row | null {
    const row = this.#one.get(key);
    return row === undefined ? null : this.#read(row);
  }

  put(row: Row): void {
    const { columns, json = [] } = this.#layout;
    this.#put.run(
      ...columns.members.map((member) => (json.includes(member) ? JSON.stringify(row[member]) : row[member])),
    );
  }

  remove(key: Row[Key]): void {
    this.#remove.run(key);
  }

  #read(row: Row): Row {
    const { json = [] } = this.#layout;
    const parsedMembers = json.map((member) => [member, JSON.parse(row[member] as string) as unknown]);
    return parsedMembers.length === 0 ? row : { ...row, ...(Object.fromEntries(parsedMembers) as Partial<Row>) };
  }
}
