import { EVENT_STREAM } from "../../../contract/events.ts";
import { EVENTS } from "../../../contract/routes.ts";
import type { StreamEnd, Wire } from "../../../common/wire.ts";
import { type Check, good, note } from "./check.ts";

const WAIT_MS = 5_000;

/** Asks whether the service reports its changes: it is listened to until the first sign of it. */
export async function checkNews(wire: Wire, key: string): Promise<Check[]> {
  if (wire.stream === undefined) return [];
  const heard = new AbortController();
  const headers = { authorization: `Bearer ${key}`, accept: EVENT_STREAM };
  const bounds = { deadlineMs: WAIT_MS, silenceMs: WAIT_MS, maxBytes: 64 * 1024, signal: heard.signal };
  const end = await wire.stream({ method: "GET", path: EVENTS, headers, body: null }, bounds, () => heard.abort());
  if (heard.signal.aborted) return [good("events", "the service reports its changes")];
  if (end.kind === "answer" && end.response.status === 404)
    return [good("events", "the service reports no changes, so mdmirror polls it")];
  return [note("events", `${whyNone(end)}, so mdmirror polls the service`)];
}

function whyNone(end: StreamEnd): string {
  if (end.kind === "answer") return `they are refused (${end.response.status})`;
  return end.kind === "ended" ? "no event arrives: a proxy may delay the answers" : "no answer came";
}
