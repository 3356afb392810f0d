/**
 * Ids are issued by the service and never change; a rename or move changes the path, not the id
 * (`src/contract/README.md`, "Identifiers").
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `doc_` followed by an opaque suffix. */
export type DocId = Branded<"DocId">;
/** `dir_` followed by an opaque suffix. */
export type DirId = Branded<"DirId">;
/** `chg_` followed by an opaque suffix. Names one saved version of one document. */
export type ChangeId = Branded<"ChangeId">;

// ASSUMES: an opaque suffix is 1 to 128 of [A-Za-z0-9_-]. The document gives no alphabet; this one
// is safe in URLs, SQL and logs, and is refused before any of them otherwise (contract test
// "refuses ids that are not of the form"). A composite id (two ids joined, for example by `:` or
// `/`) never matches it.
const SUFFIX = "[A-Za-z0-9_-]{1,128}";
const DOC = new RegExp(`^doc_${SUFFIX}$`);
const DIR = new RegExp(`^dir_${SUFFIX}$`);
const CHANGE = new RegExp(`^chg_${SUFFIX}$`);

export function isDocId(value: unknown): value is DocId {
  return typeof value === "string" && DOC.test(value);
}

export function isDirId(value: unknown): value is DirId {
  return typeof value === "string" && DIR.test(value);
}

export function isChangeId(value: unknown): value is ChangeId {
  return typeof value === "string" && CHANGE.test(value);
}
