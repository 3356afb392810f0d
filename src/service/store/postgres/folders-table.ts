import type { FolderRow } from "../rows.ts";
import type { Folders, NamePage, Page } from "../tables.ts";
import { lockTreeShape } from "./locks.ts";
import { type Session, sql } from "./session.ts";
import { isAt, isBelow, isOneOf, isWithin, isWritable } from "./sql.ts";

const SELECT = `SELECT d.seq, d.id, d.parent, p.id AS "parentId", d.name, d.path
FROM folders d LEFT JOIN folders p ON p.seq = d.above`;
const PAGE = "d.seq > $2 ORDER BY d.seq LIMIT $3";
/**
 * Selects the row numbers of the folder at the path $2 of the workspace $1, and of all folders
 * below it.
 */
const TREE = `SELECT seq FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")}`;

const SQL = {
  byId: sql<FolderRow>("folders.byId", `${SELECT} WHERE d.workspace = $1 AND d.id = $2`),
  byPath: sql<FolderRow>("folders.byPath", `${SELECT} WHERE d.workspace = $1 AND ${isAt("d.path", "$2")}`),
  along: sql<FolderRow>(
    "folders.along",
    `${SELECT} WHERE d.workspace = $1 AND ${isOneOf("d.path", "$2")} ORDER BY length(d.path)`,
  ),
  ancestors: sql<{ seq: number; parent: number }>(
    "folders.ancestors",
    `WITH RECURSIVE up AS (
       SELECT seq, parent, above FROM folders WHERE seq = ANY($1::bigint[])
       UNION SELECT d.seq, d.parent, d.above FROM up JOIN folders d ON d.seq = up.above
     ) SELECT seq, parent FROM up`,
  ),
  all: sql<FolderRow>("folders.all", `${SELECT} WHERE d.workspace = $1 AND ${PAGE}`),
  inParent: sql<FolderRow>("folders.inParent", `${SELECT} WHERE d.workspace = $1 AND d.parent = $4 AND ${PAGE}`),
  inParentByName: sql<FolderRow>(
    "folders.inParentByName",
    `${SELECT} WHERE d.workspace = $1 AND d.parent = $2 AND d.name > $3 ORDER BY d.name LIMIT $4`,
  ),
  // Planned with its values: a subtree may be one folder, or the whole workspace.
  below: sql<FolderRow>(null, `${SELECT} WHERE d.workspace = $1 AND ${isBelow("d.path", "$4")} AND ${PAGE}`),
  isEmpty: sql<{ empty: boolean }>(
    "folders.isEmpty",
    `SELECT NOT EXISTS (SELECT FROM files WHERE workspace = $1 AND folder = $2)
        AND NOT EXISTS (SELECT FROM folders WHERE workspace = $1 AND parent = $2) AS empty`,
  ),
  extent: sql<{ longest: string | null; slashes: number | null }>(
    "folders.extent",
    `SELECT (array_agg(path ORDER BY length(path) DESC, seq))[1] AS longest,
       max(length(path) - length(replace(path, '/', ''))) AS slashes
     FROM folders WHERE workspace = $1 AND ${isBelow("path", "$2")}`,
  ),
  insert: sql<{ seq: number }>(
    "folders.insert",
    "INSERT INTO folders (workspace, id, parent, name, path) VALUES ($1, $2, $3, $4, $5) RETURNING seq",
  ),
  place: sql("folders.place", "UPDATE folders SET parent = $2, name = $3, path = $4 WHERE seq = $1"),
  // Both functions count characters, so the cut is also right for names outside the BMP.
  rebase: sql(
    "folders.rebase",
    `UPDATE folders SET path = $3 || substr(path, length($2) + 1) WHERE workspace = $1 AND ${isBelow("path", "$2")}`,
  ),
} as const;

/**
 * ORDER: a row goes after the rows that refer to it; its grants go after it, because the outbox
 * records them.
 */
const REMOVE_TREE = [
  `DELETE FROM changes WHERE file IN (SELECT x.seq FROM files x WHERE x.workspace = $1 AND x.above IN (${TREE}))`,
  `DELETE FROM files WHERE workspace = $1 AND above IN (${TREE})`,
  `DELETE FROM folders WHERE workspace = $1 AND ${isWithin("path", "$2")}`,
].map((text, i) => sql(`folders.removeTree${i}`, text));
const DROP_LOST_GRANTS = sql(
  "folders.dropLostGrants",
  `DELETE FROM grants g WHERE kind = 'file' AND NOT EXISTS (SELECT 1 FROM files WHERE seq = g.target)
     OR kind = 'folder' AND NOT EXISTS (SELECT 1 FROM folders WHERE seq = g.target)`,
);

export class FoldersTable implements Folders {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async byId(workspace: number, id: string): Promise<FolderRow | undefined> {
    if (!isWritable(id)) return undefined;
    lockTreeShape(this.#session, workspace);
    return this.#session.one(SQL.byId, workspace, id);
  }

  async byPath(workspace: number, path: string): Promise<FolderRow | undefined> {
    return isWritable(path) ? this.#session.one(SQL.byPath, workspace, path) : undefined;
  }

  async along(workspace: number, names: readonly string[]): Promise<FolderRow[]> {
    lockTreeShape(this.#session, workspace);
    if (names.length === 0) return [];
    const paths = names.map((_, i) => names.slice(0, i + 1).join("/"));
    return this.#session.all(SQL.along, workspace, paths);
  }

  async ancestors(seqs: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (seqs.length === 0) return new Map();
    const rows = await this.#session.all(SQL.ancestors, seqs);
    return new Map(rows.map(({ seq, parent }) => [seq, parent]));
  }

  all({ workspace, after, count }: Page): Promise<FolderRow[]> {
    return this.#session.all(SQL.all, workspace, after, count);
  }

  inParent({ workspace, after, count, parent }: Page & { readonly parent: number }): Promise<FolderRow[]> {
    return this.#session.all(SQL.inParent, workspace, after, count, parent);
  }

  inParentByName({ workspace, folder, after, count }: NamePage): Promise<FolderRow[]> {
    return this.#session.all(SQL.inParentByName, workspace, folder, after, count);
  }

  below({ workspace, after, count, path }: Page & { readonly path: string }): Promise<FolderRow[]> {
    return this.#session.all(SQL.below, workspace, after, count, path);
  }

  async isEmpty(workspace: number, seq: number): Promise<boolean> {
    return (await this.#session.one(SQL.isEmpty, workspace, seq))!.empty;
  }

  async extentBelow(
    workspace: number,
    path: string,
  ): Promise<{ readonly longest: string; readonly slashes: number } | null> {
    const { longest, slashes } = (await this.#session.one(SQL.extent, workspace, path))!;
    return longest === null || slashes === null ? null : { longest, slashes };
  }

  async insert(folder: Omit<FolderRow, "seq" | "parentId"> & { readonly workspace: number }): Promise<number> {
    const { workspace, id, parent, name, path } = folder;
    lockTreeShape(this.#session, workspace);
    return (await this.#session.one(SQL.insert, workspace, id, parent, name, path))!.seq;
  }

  async place(workspace: number, row: FolderRow, to: Pick<FolderRow, "parent" | "name" | "path">): Promise<void> {
    this.#session.send(SQL.place, row.seq, to.parent, to.name, to.path);
    this.#session.send(SQL.rebase, workspace, row.path, to.path);
  }

  async removeTree(workspace: number, row: FolderRow): Promise<void> {
    for (const statement of REMOVE_TREE) this.#session.send(statement, workspace, row.path);
    this.#session.send(DROP_LOST_GRANTS);
  }
}
