import { shownWords } from "../../../common/shown-name.ts";

/** Returns a clause such as ` (forbidden, request req_1)`, the service's code and request id. */
export function originClause(code: string | null, requestId: string | null): string {
  const parts = [
    ...(code === null ? [] : [shownWords(code)]),
    ...(requestId === null ? [] : [`request ${shownWords(requestId)}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
