import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../../contract/limits.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";

export function judgeText(path: LocalPath, text: string): Result<null> {
  const refuse = (what: string, next: string, code: string) =>
    trouble("usage", `the content for ${path} ${what}, which the service refuses`, next, { code });
  if (!text.isWellFormed())
    return refuse("has an incomplete Unicode character", "send complete characters", "not-utf-8");
  if (text.includes("\0")) return refuse("contains NUL characters", "leave them out", "contains-nul");
  const characterCount = countCharacters(text);
  if (characterCount <= MAX_CONTENT_CHARACTERS) return ok(null);
  return refuse(
    `has ${characterCount} characters, more than ${MAX_CONTENT_CHARACTERS}`,
    "split the document",
    "too-large",
  );
}
