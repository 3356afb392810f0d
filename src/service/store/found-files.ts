import { once } from "../../common/once.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { FoundDocument } from "../../markdown/search/source.ts";
import { Access, includesLevel } from "../files/access.ts";
import { makeFoldersTable } from "./folders-table.ts";
import type { FileRow, GrantRow } from "./rows.ts";
import { isOneOf, type Session, type Sql, joinSql } from "./sql.ts";

/**
 * Selects the files that a search may find: files that the key may read, and that are below the
 * folder `prefix`. If `prefix` is null, the files may be in any folder.
 */
export type SearchScope = {
  readonly workspace: number;
  readonly prefix: string | null;
  /**
   * Grants of the key. The grant on a file decides its access; otherwise the grant on the nearest
   * folder above it.
   */
  readonly grants: readonly GrantRow[];
};

/**
 * LIMIT: number of files, the newest first, that a search reads because they are not in the search
 * index yet. The limit keeps searches fast.
 */
export const MAX_UNINDEXED_FILES = 1_000;

/**
 * SQL condition for a file `x` with its folder `d`. The file must be one of the files $2, be in the
 * workspace $1, and be below the folder at the path $3. If $3 is null, the file may be in any
 * folder. If no folder is at the path $3, no file meets the condition.
 */
export const IS_SEARCHED_FILE = joinSql`x.workspace = $1 AND ${isOneOf("x.seq", "$2")} AND x.name <> '${STRUCTURE_FILE}'
  AND (CAST($3 AS text) IS NULL OR substr(d.path || '/', 1, length($3) + 1) = $3 || '/')`;

/**
 * Returns the files among `documents` that a search may find, in the order of `documents`.
 * @param statement selects files by the condition `IS_SEARCHED_FILE`
 */
export async function readSearchedFiles<Row extends FileRow>(
  session: Session,
  statement: Sql<Row>,
  { workspace, prefix, grants }: SearchScope,
  documents: readonly number[],
): Promise<Row[]> {
  const rows = new Map((await session.all(statement, workspace, documents, prefix)).map((row) => [row.seq, row]));
  const access = new Access(grants, makeFoldersTable(session));
  await access.loadAncestors([...rows.values()].map(({ parent }) => parent));
  return documents.flatMap((seq) => rows.get(seq) ?? []).filter((row) => includesLevel(access.file(row), "read"));
}

export type FoundFile = FoundDocument & { readonly file: FileRow };

/**
 * Returns a file that a search found. `unpack` decompresses the content of the file when the
 * content is first read.
 */
export function makeFoundFile(file: FileRow, unpack: () => string): FoundFile {
  const readText = once(unpack);
  return {
    file,
    document: file.seq,
    path: file.path,
    get text() {
      return readText();
    },
  };
}
