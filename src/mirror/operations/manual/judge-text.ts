import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

type Fault = { readonly what: string; readonly next: string; readonly code: string };

/** Checks whether a document can have this content. */
export function judgeText(path: LocalPath, text: string): Result<null> {
  const fault = textFault(text);
  if (fault === null) return ok(null);
  return trouble("usage", `the content for ${path} ${fault.what}, which the service refuses`, fault.next, {
    code: fault.code,
  });
}

function textFault(text: string): Fault | null {
  if (!text.isWellFormed())
    return { what: "has an incomplete Unicode character", next: "send complete characters", code: "not-utf-8" };
  if (text.includes("\0")) return { what: "contains NUL characters", next: "leave them out", code: "contains-nul" };
  const count = countCharacters(text);
  if (count <= MAX_CONTENT_CHARACTERS) return null;
  const what = `has ${count} characters, more than ${MAX_CONTENT_CHARACTERS}`;
  return { what, next: "split the document", code: "too-large" };
}
