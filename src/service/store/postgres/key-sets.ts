import type { KeySet } from "../../../markdown/search/keys.ts";

/**
 * Writes keys of documents (`src/markdown/search/keys.ts`) for PostgreSQL. All workspaces share one
 * index, so each key includes the workspace: a search finds almost nothing of other workspaces.
 */

const PRIME = 0x9e3779b1;

export function keyIn(workspace: number, key: number): number {
  return key ^ Math.imul(workspace, PRIME);
}

/**
 * Returns a set as SQL that selects its files.
 * @param value adds a value to the statement, and returns its placeholder
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
