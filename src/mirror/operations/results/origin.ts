import { shownWords } from "../../../common/shown-name.ts";

/** Returns the origin of a message, such as ` (forbidden, request req_1)`; "" if unknown. */
export function originClause(code: string | null, requestId: string | null): string {
  const parts = [
    ...(code === null ? [] : [shownWords(code)]),
    ...(requestId === null ? [] : [`request ${shownWords(requestId)}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
