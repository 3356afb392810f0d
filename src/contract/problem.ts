/** Errors of the API, sent as `application/problem+json` (`src/contract/README.md`, "Errors"). */

type ProblemFacts = { readonly status: number; readonly title: string };

export const PROBLEM_CODES = {
  unauthenticated: { status: 401, title: "API key missing or not valid" },
  forbidden: { status: 403, title: "The key may not perform this write" },
  not_found: { status: 404, title: "Resource not found" },
  workspace_not_found: { status: 404, title: "No workspace matches the key" },
  file_not_found: { status: 404, title: "The file does not exist, or this key may not read it" },
  folder_not_found: { status: 404, title: "The folder does not exist, or this key may not read it" },
  invalid_request: { status: 400, title: "Unknown or malformed parameter or member" },
  invalid_id: { status: 400, title: "Id not of the expected form" },
  invalid_base_change: { status: 400, title: "baseChangeId is not a change of this file" },
  invalid_cursor: { status: 400, title: "Cursor malformed or issued for another query" },
  path_already_exists: { status: 409, title: "A file or folder is already at that path" },
  type_mismatch: { status: 409, title: "The path names the wrong kind of resource" },
  folder_not_empty: { status: 409, title: "The folder still has contents" },
  changes_in_review: { status: 409, title: "Changes are waiting for review" },
  file_protected: { status: 409, title: "The file is protected" },
  content_too_large: { status: 422, title: "Content is too long" },
  service_unavailable: { status: 503, title: "Workspace temporarily unreachable" },
  internal_error: { status: 500, title: "Unexpected failure" },
  // ASSUMES: accepting a change in review is refused if the change conflicts with the published
  // content (contract test "answers edit_conflict to accepting what cannot be combined…"). The
  // embedded service never answers a PUT with edit_conflict, but other services may.
  edit_conflict: { status: 409, title: "The file changed and the versions cannot be combined" },
  // ASSUMES: a request over the rate limit is answered 429 rate_limited with Retry-After (contract
  // test "limits the rate when configured").
  rate_limited: { status: 429, title: "Too many requests" },
  // ASSUMES: a valid regex is answered 422 search_too_costly if it needs more steps than one search
  // may take. The load of the service does not matter (contract test "refuses a search of too many
  // steps").
  search_too_costly: { status: 422, title: "The search takes too many steps" },
} as const satisfies Record<string, ProblemFacts>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Error codes that the published contract lists. All other codes are mdmirror's own. */
export const DOCUMENTED_CODES: readonly ProblemCode[] = (Object.keys(PROBLEM_CODES) as ProblemCode[]).filter(
  (code) => code !== "edit_conflict" && code !== "rate_limited" && code !== "search_too_costly",
);

/**
 * Code of a faulty field.
 * ASSUMES: a service uses these codes. The contract shows only `out_of_range` and `too_long`
 * (contract test "names each bad field").
 */
export type FieldCode =
  | "out_of_range"
  | "too_long"
  | "required"
  | "unknown"
  | "wrong_type"
  | "invalid_format"
  | "invalid_name"
  /** A link in the content has no target. Only a service that checks links uses this code. */
  | "unresolved_reference"
  | "mutually_exclusive";

/** LIMIT: number of faulty fields that an answer lists, so that the answer stays small. */
export const MAX_FIELD_ERRORS = 20;

/**
 * A fault of a request. `pointer` is a JSON Pointer to a query parameter (`/limit`) or to a field
 * of the body (`/content`).
 */
export type FieldError = { readonly code: FieldCode; readonly pointer: string; readonly detail: string };

export function makeProblemType(docsBase: string, code: string): string {
  return `${docsBase}/errors/${code.replaceAll("_", "-")}`;
}
