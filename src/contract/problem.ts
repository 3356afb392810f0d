/** Errors of the wire: `application/problem+json` (API.md, "Errors"). The one home of what an error code means. */

/**
 * What a caller may do after a code.
 * - `never`: the same request is never sent again (4xx).
 * - `after-wait`: wait for `Retry-After`, else back off; read before resending a write.
 * - `after-read`: inspect the live state before resending a write; a read may be sent again.
 */
export type RetryClass = "never" | "after-wait" | "after-read";

type CodeFacts = { readonly status: number; readonly title: string; readonly retry: RetryClass };

/** The 18 codes of the document, then the two that it leaves open. */
export const PROBLEM_CODES = {
  unauthenticated: { status: 401, title: "API key missing or not valid", retry: "never" },
  forbidden: { status: 403, title: "The key may not perform this write", retry: "never" },
  not_found: { status: 404, title: "Resource not found", retry: "never" },
  workspace_not_found: { status: 404, title: "No workspace matches the key", retry: "never" },
  file_not_found: { status: 404, title: "No such file, or none this key can read", retry: "never" },
  folder_not_found: { status: 404, title: "No such folder, or none this key can read", retry: "never" },
  invalid_request: { status: 400, title: "Unknown or malformed parameter or member", retry: "never" },
  invalid_id: { status: 400, title: "Id not of the expected form", retry: "never" },
  invalid_base_change: { status: 400, title: "baseChangeId is not a change of this file", retry: "never" },
  invalid_cursor: { status: 400, title: "Cursor malformed or issued for another query", retry: "never" },
  path_already_exists: { status: 409, title: "A file or folder is already at that path", retry: "never" },
  type_mismatch: { status: 409, title: "The path names the wrong kind of resource", retry: "never" },
  folder_not_empty: { status: 409, title: "The folder still has contents", retry: "never" },
  changes_in_review: { status: 409, title: "Changes are waiting for review", retry: "never" },
  file_protected: { status: 409, title: "The file is protected", retry: "never" },
  content_too_large: { status: 422, title: "Content is too long", retry: "never" },
  service_unavailable: { status: 503, title: "Workspace temporarily unreachable", retry: "after-wait" },
  internal_error: { status: 500, title: "Unexpected failure", retry: "after-read" },
  // ASSUMES: a stale base that cannot be combined is answered 409 edit_conflict and nothing is saved
  // (contract test "answers 409 edit_conflict when two versions cannot be combined").
  edit_conflict: { status: 409, title: "The file changed and the versions cannot be combined", retry: "never" },
  // ASSUMES: a rate limit is answered 429 rate_limited with Retry-After (contract test "limits the rate when configured").
  rate_limited: { status: 429, title: "Too many requests", retry: "after-wait" },
} as const satisfies Record<string, CodeFacts>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** The codes that API.md lists; the rest are choices where it is silent. */
export const DOCUMENTED_CODES: readonly ProblemCode[] = (Object.keys(PROBLEM_CODES) as ProblemCode[]).filter(
  (code) => code !== "edit_conflict" && code !== "rate_limited",
);

/** Field-level codes of `errors`. The document shows `out_of_range` and `too_long`; ASSUMES: the rest (contract test "names each bad field"). */
export type FieldCode =
  | "out_of_range"
  | "too_long"
  | "required"
  | "unknown"
  | "wrong_type"
  | "invalid_format"
  | "invalid_name"
  | "mutually_exclusive";

/** `pointer` is a JSON Pointer: `/limit` is the query parameter, `/content` the body member. */
export type FieldError = { readonly code: FieldCode; readonly pointer: string; readonly detail: string };

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly code: string; readonly pointer: string; readonly detail: string }[];
};

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEM_CODES, code);
}

/** @returns the retry class of a code, or, for one that is not known, that of its status. */
export function retryClass(code: string, status: number): RetryClass {
  if (isProblemCode(code)) return PROBLEM_CODES[code].retry;
  if (status === 503 || status === 429) return "after-wait";
  return status >= 500 ? "after-read" : "never";
}

/** The documented form: {docs_base}/errors/<code-with-hyphens>. */
export function problemType(docsBase: string, code: string): string {
  return `${docsBase}/errors/${code.replaceAll("_", "-")}`;
}
