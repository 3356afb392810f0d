import { isStrictId } from "../../contract/ids.ts";
import { countCharacters, MAX_CONTENT_CHARACTERS, MAX_PATH_CHARACTERS, MAX_PATH_NAMES } from "../../contract/limits.ts";
import {
  NAME_FAULT_TEXT,
  type NameFault,
  type NameKind,
  nameFaults,
  pathFault,
  pathSegments,
} from "../../contract/names.ts";
import type { FieldCode } from "../../contract/problem.ts";
import { type Refused, refuse, refuseFields } from "./answer.ts";
import type { Call, RequestContext } from "./context.ts";
import { shown } from "./query.ts";

/** Judges the values of parameters and members; `contract/names` decides which names are legal. */

/**
 * ASSUMES: a path whose names are legal but whose ending is of the other kind (`docs` where a file
 * is needed) is a `409 type_mismatch`; any other illegal name is a `400 invalid_request` (contract
 * tests "answers type_mismatch …").
 * @returns the path without its leading slash
 */
export function readPath(value: string, kind: NameKind, pointer: string): string | Refused {
  const segments = pathSegments(value);
  const path = segments.join("/");
  if (segments.length > MAX_PATH_NAMES[kind] || countCharacters(path) > MAX_PATH_CHARACTERS[kind])
    return pathTooLong(kind, pointer);
  // With the slash that was removed above: otherwise a second one would count as the first.
  const bad = pathFault(`/${path}`, kind);
  if (bad === null) return path;
  const detail = `${pointer.slice(1)}: the name ${shown(bad.name)} ${NAME_FAULT_TEXT[bad.fault]}.`;
  const error = { code: fieldCode(bad.fault), pointer, detail };
  const mismatch = bad.fault === "not-lowercase-md" || bad.fault === "folder-ends-in-md";
  return mismatch ? refuse("type_mismatch", detail, [error]) : refuseFields([error]);
}

export function pathTooLong(kind: NameKind, pointer: string): Refused {
  const detail = `The path of a ${kind} has at most ${MAX_PATH_CHARACTERS[kind]} characters and ${MAX_PATH_NAMES[kind]} names.`;
  return refuseFields([{ code: "too_long", pointer, detail }]);
}

export function readName(value: string, kind: NameKind, pointer: string): string | Refused {
  const fault = nameFaults(value, kind)[0];
  if (fault === undefined) return value;
  const detail = `${pointer.slice(1)}: the name ${shown(value)} ${NAME_FAULT_TEXT[fault]}.`;
  return refuseFields([{ code: fieldCode(fault), pointer, detail }]);
}

function fieldCode(fault: NameFault): FieldCode {
  if (fault === "too-long") return "too_long";
  return fault === "lone-surrogate" ? "invalid_format" : "invalid_name";
}

/**
 * ASSUMES: a text is well-formed Unicode without NUL; anything else is not "Markdown or plain text"
 * and is refused as `invalid_request` (contract test "refuses content that is not text").
 */
export function readContent(value: string): string | Refused {
  // They are not more than UTF-16 units, which are known.
  if (value.length > MAX_CONTENT_CHARACTERS && countCharacters(value) > MAX_CONTENT_CHARACTERS) {
    const length = countCharacters(value);
    const detail = `content has ${length} characters; the limit is ${MAX_CONTENT_CHARACTERS}.`;
    return refuse("content_too_large", detail, [{ code: "too_long", pointer: "/content", detail }]);
  }
  if (!value.includes("\0") && value.isWellFormed()) return value;
  const detail = "content holds NUL or a lone surrogate.";
  return refuseFields([{ code: "invalid_format", pointer: "/content", detail }]);
}

type IdForm = "doc_" | "dir_" | "chg_";

/** The form of ids that the first version made; they stay valid in its workspaces. */
const FIRST_SUFFIX = /^[0-9a-hjkmnp-tv-z]{20}$/;

/** The id in the path of a request. */
export function readPathId(call: Pick<Call, "context" | "id">, form: IdForm): string | Refused {
  return readId(call.context, call.id, form, "");
}

/**
 * @param pointer where the id was sent; an empty one means the path of the request, and gives no
 * `errors`
 */
export function readId(
  { workspace }: Pick<RequestContext, "workspace">,
  value: string,
  form: IdForm,
  pointer: string,
): string | Refused {
  if (value.startsWith(form) && isStrictId(value)) return value;
  if (workspace.firstIds === 1 && value.startsWith(form) && FIRST_SUFFIX.test(value.slice(form.length))) return value;
  const detail = `${shown(value)} is not of the form ${form}….`;
  return refuse("invalid_id", detail, pointer === "" ? [] : [{ code: "invalid_format", pointer, detail }]);
}

/** Reads the `parentId` of a body: a folder id, or null for the root. */
export function readParent(context: RequestContext, value: string | null): string | null | Refused {
  return value === null ? null : readId(context, value, "dir_", "/parentId");
}
