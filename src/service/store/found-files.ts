import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { FoundDocument } from "../../markdown/search/source.ts";
import { Access, includes } from "../files/access.ts";
import { foldersTable } from "./folders-table.ts";
import type { FileRow, GrantRow } from "./rows.ts";
import { isOneOf, type Session, type Sql, sqlPart } from "./sql.ts";

/** Files of a workspace that a key may read, below the folder `prefix`; null for anywhere. */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /** Grants of the key; the nearest one above a file decides (see `Access`). */
  readonly grants: readonly GrantRow[];
};

/** LIMIT: unindexed files that a search reads, the newest first. */
export const MAX_WAITING = 1_000;

/**
 * SQL condition: a file `x`, whose folder is joined as `d`, is one of the files $2 of the workspace
 * $1, and below the folder $3, or $3 is null. If no folder has that path, no file is found.
 */
export const IS_SEARCHED = sqlPart`x.workspace = $1 AND ${isOneOf("x.seq", "$2")} AND x.name <> '${STRUCTURE_FILE}'
  AND (CAST($3 AS text) IS NULL OR substr(d.path || '/', 1, length($3) + 1) = $3 || '/')`;

/**
 * Returns the files that a search may find, in the order of `documents`.
 * @param statement selects files by `IS_SEARCHED`
 */
export async function searchedFiles<Row extends FileRow>(
  session: Session,
  statement: Sql<Row>,
  { workspace, prefix, grants }: SearchScope,
  documents: readonly number[],
): Promise<Row[]> {
  const rows = new Map((await session.all(statement, workspace, documents, prefix)).map((row) => [row.seq, row]));
  const access = new Access(grants, foldersTable(session));
  await access.loadAncestors([...rows.values()].map(({ folder }) => folder));
  return documents.flatMap((seq) => rows.get(seq) ?? []).filter((row) => includes(access.file(row), "read"));
}

/** A document that a search may find, with its live text. */
export type FoundFile = FoundDocument & { readonly file: FileRow };

/**
 * Returns a file for a search. Its content is decompressed on first access, which may be after this
 * transaction.
 */
export function foundFile(file: FileRow, unpack: () => string): FoundFile {
  let text: string | null = null;
  return {
    file,
    document: file.seq,
    path: file.path,
    get text() {
      text ??= unpack();
      return text;
    },
  };
}
