import { shownWords } from "../../../common/shown-name.ts";

/** Returns the service's code and request id, such as ` (forbidden, request req_1)`. */
export function formatOrigin(code: string | null, requestId: string | null): string {
  const originParts = [
    ...(code === null ? [] : [shownWords(code)]),
    ...(requestId === null ? [] : [`request ${shownWords(requestId)}`]),
  ];
  return originParts.length === 0 ? "" : ` (${originParts.join(", ")})`;
}
