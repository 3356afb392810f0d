/**
 * Types of ids. The service issues ids, and they never change: if a document is renamed or moved,
 * its path changes, but not its id (`src/contract/README.md`, "Identifiers").
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Id of a document: `doc_` and an opaque suffix. */
export type DocId = Branded<"DocId">;
/** Id of a folder: `dir_` and an opaque suffix. */
export type DirId = Branded<"DirId">;
/** Id of a change, that is, of one saved version of one document: `chg_` and an opaque suffix. */
export type ChangeId = Branded<"ChangeId">;

// Form of ids that services issue today: 14 lower-case letters and digits after the prefix.
const ISSUED_ID = /^(?:doc|dir|chg)_[a-z0-9]{14}$/;
// Suffix of an id, which is safe in URLs, SQL and logs. Two ids joined to one, such as
// `doc_…-cmit_…`, are not an id in any deployment.
const ID_SUFFIX = "(?!.*(?:doc|dir|chg|cmit)_)[A-Za-z0-9_-]{1,128}";
const DOC_ID = new RegExp(`^doc_${ID_SUFFIX}$`);
const DIR_ID = new RegExp(`^dir_${ID_SUFFIX}$`);
const CHANGE_ID = new RegExp(`^chg_${ID_SUFFIX}$`);

/** Returns true if an id of any kind has the form that services issue today. */
export function isStrictId(id: string): boolean {
  return ISSUED_ID.test(id);
}

export function isDocId(value: unknown): value is DocId {
  return typeof value === "string" && DOC_ID.test(value);
}

export function isDirId(value: unknown): value is DirId {
  return typeof value === "string" && DIR_ID.test(value);
}

export function isChangeId(value: unknown): value is ChangeId {
  return typeof value === "string" && CHANGE_ID.test(value);
}
