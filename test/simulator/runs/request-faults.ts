import type { WireRequest, WireResponse } from "../../../src/contract/wire.ts";
import type { Dice } from "../dice.ts";

/**
 * Fault of a request. `late`: there is no answer, and the service executes the request later.
 * `cut`: it is executed, and the answer's body ends in the middle.
 */
export type RequestFault =
  | { readonly kind: "not-sent" | "lost-before" | "lost-after" | "cut" }
  | { readonly kind: "late"; readonly wait: number }
  | { readonly kind: "answer"; readonly name: string; readonly response: WireResponse };

export function drawFault(dice: Dice, { method }: WireRequest): RequestFault {
  const any: RequestFault[] = [
    { kind: "not-sent" },
    { kind: "lost-before" },
    { kind: "cut" },
    answer("html-502", 502, "<html>bad gateway</html>", { "content-type": "text/html" }),
    answer("html-200", 200, "<html>sign in to the wireless network</html>", { "content-type": "text/html" }),
    problem(503, "service_unavailable", { "retry-after": "1" }),
    problem(500, "internal_error"),
    problem(429, "rate_limited", { "retry-after": "1" }),
    problem(401, "unauthenticated"),
    problem(403, "forbidden"),
    problem(400, "invalid_request"),
  ];
  if (method === "GET") return dice.pick(any);
  const writes: RequestFault[] = [
    ...any,
    { kind: "lost-after" },
    { kind: "lost-after" },
    { kind: "lost-after" },
    { kind: "late", wait: 1 + dice.below(12) },
    { kind: "late", wait: 1 + dice.below(12) },
    problem(404, method === "POST" ? "folder_not_found" : "file_not_found"),
    problem(409, "path_already_exists"),
  ];
  if (method === "DELETE") writes.push(problem(409, "file_protected"), problem(409, "changes_in_review"));
  if (method === "PUT") writes.push(problem(409, "edit_conflict"), problem(400, "invalid_base_change"));
  return dice.pick(writes);
}

function answer(name: string, status: number, body: string, headers: Record<string, string>): RequestFault {
  return { kind: "answer", name, response: { status, headers, body } };
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): RequestFault {
  const body = { type: "about:blank", title: code, status, code, detail: "simulated", requestId: "req_simulated" };
  return answer(`${status}-${code}`, status, JSON.stringify(body), {
    "content-type": "application/problem+json",
    ...headers,
  });
}

export function cutShort(response: WireResponse): WireResponse {
  return { ...response, body: response.body.slice(0, Math.floor(response.body.length / 2)) };
}
