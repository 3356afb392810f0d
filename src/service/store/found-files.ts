import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { FoundDocument } from "../../markdown/search/source.ts";
import { Access, includesLevel } from "../files/access.ts";
import { makeFoldersTable } from "./folders-table.ts";
import type { FileRow, GrantRow } from "./rows.ts";
import { isOneOf, type Session, type Sql, joinSql } from "./sql.ts";

/** Files that a search may find: those that the key may read, below `prefix` if it is not null. */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /** Grants of the key. The grant that is nearest above a file decides (see `Access`). */
  readonly grants: readonly GrantRow[];
};

/** LIMIT: newest files without an index entry that a search reads, so that it stays fast. */
export const MAX_UNINDEXED_FILES = 1_000;

/**
 * SQL condition for a file `x` with its folder `d`: the file is one of the files $2 of the
 * workspace $1, and is below the folder at the path $3 unless $3 is null. If this folder does not
 * exist, no file meets the condition.
 */
export const IS_SEARCHED = joinSql`x.workspace = $1 AND ${isOneOf("x.seq", "$2")} AND x.name <> '${STRUCTURE_FILE}'
  AND (CAST($3 AS text) IS NULL OR substr(d.path || '/', 1, length($3) + 1) = $3 || '/')`;

/**
 * Returns those of the files `documents` that a search may find, in their order.
 * @param statement selects files by the condition `IS_SEARCHED`
 */
export async function readSearchedFiles<Row extends FileRow>(
  session: Session,
  statement: Sql<Row>,
  { workspace, prefix, grants }: SearchScope,
  documents: readonly number[],
): Promise<Row[]> {
  const rows = new Map((await session.all(statement, workspace, documents, prefix)).map((row) => [row.seq, row]));
  const access = new Access(grants, makeFoldersTable(session));
  await access.loadAncestors([...rows.values()].map(({ folder }) => folder));
  return documents.flatMap((seq) => rows.get(seq) ?? []).filter((row) => includesLevel(access.file(row), "read"));
}

export type FoundFile = FoundDocument & { readonly file: FileRow };

/** Returns a file for a search, whose content is decompressed when it is first read. */
export function makeFoundFile(file: FileRow, unpack: () => string): FoundFile {
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
