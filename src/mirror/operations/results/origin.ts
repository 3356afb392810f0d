import { shownWords } from "../../../common/shown-name.ts";

/** Returns a clause such as ` (forbidden, request req_1)`, the service's code and request id. */
export function formatOrigin(code: string | null, requestId: string | null): string {
  const originParts = [
    ...(code === null ? [] : [shownWords(code)]),
    ...(requestId === null ? [] : [`request ${shownWords(requestId)}`]),
  ];
  return originParts.length === 0 ? "" : ` (${originParts.join(", ")})`;
}
