import { foldText } from "../../search/fold.ts";
import type { Need } from "../../search/literals.ts";
import type { Unit } from "../../search/tokens.ts";
import { keysOfLiteral, keysOfUnit } from "./search-keys.ts";

/**
 * A set of files that a search can find. It may hold more than those, since two keys may be equal
 * by chance, and never fewer. `any`, as a kind: nothing can be told, each file may be in it.
 */
export type Files =
  | { readonly kind: "any" }
  | { readonly kind: "with-keys"; readonly keys: readonly number[] }
  | { readonly kind: "in-folders"; readonly folders: readonly number[] }
  /** What waits to be indexed is looked at without an index. */
  | { readonly kind: "waiting" }
  | { readonly kind: "each" | "one"; readonly of: readonly Files[] };

/** A folder, and its folded path. */
export type FoldedFolder = { readonly seq: number; readonly path: string };

export const ANY: Files = { kind: "any" };
export const WAITING: Files = { kind: "waiting" };

/** In each of the sets. */
export function inEach(sets: readonly Files[]): Files {
  const known = sets.filter(({ kind }) => kind !== "any");
  return known.length === 0 ? ANY : { kind: "each", of: known };
}

/** In one of the sets. */
export function inOne(sets: readonly Files[]): Files {
  return sets.some(({ kind }) => kind === "any") ? ANY : { kind: "one", of: sets };
}

/** With a unit of a query in the text, in the name, or in the path of the folder. */
export function withUnit(workspace: number, folders: readonly FoldedFolder[], unit: Unit): Files {
  const text = foldText(unit.text);
  const named = folders.filter(({ path }) => path.includes(text)).map(({ seq }) => seq);
  const inFile = withKeys(keysOfUnit(workspace, unit));
  return named.length === 0 ? inFile : inOne([inFile, { kind: "in-folders", folders: named }]);
}

export function withLiteral(workspace: number, text: string): Files {
  return withKeys(keysOfLiteral(workspace, text));
}

/** With what every match of a regex contains. */
export function withNeed(workspace: number, need: Need): Files {
  switch (need.kind) {
    case "anything":
      return ANY;
    case "literal":
      return withLiteral(workspace, need.text);
    case "all":
      return inEach(need.needs.map((each) => withNeed(workspace, each)));
    case "any":
      return inOne(need.needs.map((each) => withNeed(workspace, each)));
  }
}

function withKeys(keys: readonly number[]): Files {
  return keys.length === 0 ? ANY : { kind: "with-keys", keys };
}

/**
 * A set as SQL that names its files; the workspace is `$1`.
 * @param value takes a value of the statement, and says how it is named there
 */
export function sqlOf(set: Exclude<Files, { kind: "any" }>, value: (value: unknown) => string): string {
  switch (set.kind) {
    case "with-keys":
      return `SELECT file FROM search_texts WHERE keys @> ${value(set.keys)}::integer[]`;
    case "in-folders":
      return `SELECT seq FROM files WHERE workspace = $1 AND above = ANY(${value(set.folders)}::bigint[])`;
    case "waiting":
      return "SELECT file FROM search_queue WHERE workspace = $1";
    default: {
      const each = set.of.flatMap((one) => (one.kind === "any" ? [] : [`(${sqlOf(one, value)})`]));
      return each.join(set.kind === "each" ? " INTERSECT " : " UNION ");
    }
  }
}
