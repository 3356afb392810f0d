/** Turns failed replies of the service into faults, which the engine handles. */

import type { Fault } from "../ports/remote.ts";
import type { ApiCall, ApiFailure, ApiReply } from "./reply.ts";

export function isWrite(call: Pick<ApiCall, "method">): boolean {
  return call.method !== "GET";
}

/**
 * Returns true if a call is a write that the service may have carried out (I08). Two results
 * exclude that: the request was never sent, or the service refused the write with a 4xx in the form
 * of the API.
 */
export function mayHaveHappened(call: Pick<ApiCall, "method">, reply: ApiReply): boolean {
  if (!isWrite(call)) return false;
  if (reply.kind === "paused") return false;
  if (reply.kind === "no-answer") return reply.sent;
  return !(reply.kind === "problem" && reply.status < 500);
}

/**
 * Returns the fault for a successful answer that lacks a field that mdmirror needs. The fault of a
 * write is `uncertain`: the service carried out the write, but the result is unknown.
 */
export function createMisreadFault(call: Pick<ApiCall, "method">, why: string, requestId: string | null): Fault {
  if (isWrite(call)) return { kind: "uncertain", detail: why, requestId };
  return { kind: "later", detail: why, requestId, cause: "malformed" };
}

export function toFault(call: Pick<ApiCall, "method">, reply: ApiFailure): Fault {
  const requestId = "requestId" in reply ? reply.requestId : null;
  const detail = reply.kind === "problem" && reply.detail === "" ? reply.code : reply.detail;
  if (mayHaveHappened(call, reply)) return { kind: "uncertain", detail, requestId };
  const cause = findTemporaryCause(reply);
  if (reply.kind !== "problem" || cause !== null) {
    return { kind: "later", detail, requestId, cause: cause ?? "malformed" };
  }
  return toRefusalFault(reply);
}

/**
 * Returns the cause of a failure that may end without action by the user, such as an unreachable
 * service. Returns null if a second call would fail in the same way.
 */
function findTemporaryCause(reply: ApiFailure): "unreachable" | "unavailable" | "rate-limited" | null {
  if (reply.kind === "paused") return "rate-limited";
  if (reply.kind === "no-answer") return "unreachable";
  if (reply.status === 429) return "rate-limited";
  return reply.status >= 500 ? "unavailable" : null;
}

function toRefusalFault(reply: Extract<ApiReply, { kind: "problem" }>): Fault {
  const { status, code, detail, requestId, pointers, fieldCodes } = reply;
  if (status === 401) return { kind: "locked-out", code: "unauthenticated", detail, requestId };
  if (code === "workspace_not_found") return { kind: "locked-out", code, detail, requestId };
  return { kind: "problem", status, code, detail, requestId, pointers, ...(fieldCodes && { fieldCodes }) };
}
