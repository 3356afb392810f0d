import type { KeySet } from "../../../markdown/search/keys.ts";

/**
 * Keys of documents (`src/markdown/search/keys.ts`) in PostgreSQL. The index is one for all
 * workspaces, so the workspace is part of each key: a look finds next to nothing of another one.
 */

const PRIME = 0x9e3779b1;

export function keyIn(workspace: number, key: number): number {
  return key ^ Math.imul(workspace, PRIME);
}

/**
 * A set as SQL that names its files.
 * @param value takes a value of the statement, and returns its name in the statement
 */
export function sqlOf(
  set: Exclude<KeySet, { kind: "any" }>,
  workspace: number,
  value: (value: unknown) => string,
): string {
  if (set.kind === "with") {
    const keys = set.keys.map((key) => keyIn(workspace, key));
    return `SELECT file FROM search_texts WHERE keys @> ${value(keys)}::integer[]`;
  }
  const each = set.of.flatMap((one) => (one.kind === "any" ? [] : [`(${sqlOf(one, workspace, value)})`]));
  return each.join(set.kind === "each" ? " INTERSECT " : " UNION ");
}
