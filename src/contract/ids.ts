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
/** `chg_` followed by an opaque suffix. Identifies one saved version of one document. */
export type ChangeId = Branded<"ChangeId">;

// Form of ids that services issue: 14 lower-case letters and digits.
const ISSUED_ID = /^(?:doc|dir|chg)_[a-z0-9]{14}$/;
// Suffix that is safe in URLs, SQL and logs. Two joined ids, as `doc_…-cmit_…`, are not an id in
// any deployment.
const ID_SUFFIX = "(?!.*(?:doc|dir|chg|cmit)_)[A-Za-z0-9_-]{1,128}";
const DOC_ID = new RegExp(`^doc_${ID_SUFFIX}$`);
const DIR_ID = new RegExp(`^dir_${ID_SUFFIX}$`);
const CHANGE_ID = new RegExp(`^chg_${ID_SUFFIX}$`);

/** Returns true if an id of any kind has the form that services issue. */
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
