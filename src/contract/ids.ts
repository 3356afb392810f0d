/**
 * Types of ids. The service issues ids, and an id never changes. If a document is renamed or moved,
 * only the path of the document changes (`src/contract/README.md`, "Identifiers").
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type DocId = Branded<"DocId">;
export type DirId = Branded<"DirId">;
/** Id of one saved version of one document: `chg_` and an opaque suffix. */
export type ChangeId = Branded<"ChangeId">;

const ISSUED_ID = /^(?:doc|dir|chg)_[a-z0-9]{14}$/;
// Pattern for the characters of an id after its prefix. These characters are safe in URLs, SQL and
// logs. The pattern does not match two joined ids, such as `doc_…-cmit_…`, because no service
// issues such an id.
const ID_SUFFIX = "(?!.*(?:doc|dir|chg|cmit)_)[A-Za-z0-9_-]{1,128}";
const DOC_ID = new RegExp(`^doc_${ID_SUFFIX}$`);
const DIR_ID = new RegExp(`^dir_${ID_SUFFIX}$`);
const CHANGE_ID = new RegExp(`^chg_${ID_SUFFIX}$`);

/**
 * Returns true for an id in the form that the embedded service issues now. Other services, and
 * later versions, may issue other ids.
 */
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
