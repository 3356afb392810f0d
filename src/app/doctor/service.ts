import { FILES } from "../../contract/routes.ts";
import type { Wire, WireResult } from "../../ports/remote.ts";
import type { Clock } from "../../ports/world.ts";
import { ageText } from "../mirror/age.ts";
import { bad, type Check, good, warn } from "./check.ts";
import { failureWords } from "../../remote/failure-words.ts";

/**
 * A clock that is wrong by more makes dates of folders, retention and `Retry-After` dates wrong; no
 * decision about a text (I29).
 */
const SKEW_MS = 60_000;
/** A `Date` header counts whole seconds. */
const HEADER_MS = 1_000;

/** One request: is it there, does it take the key, what time is it there. */
export async function checkService(wire: Wire, key: string, origin: string, clock: Clock): Promise<Check[]> {
  const began = clock.monotonic();
  const headers = { authorization: `Bearer ${key}`, accept: "application/json, application/problem+json" };
  const result = await wire.send(
    { method: "GET", path: `${FILES}?limit=1`, headers, body: null },
    { deadlineMs: 15_000, maxBytes: 1024 * 1024 },
  );
  const took = Math.round(clock.monotonic() - began);
  const checks = judge(result, origin, took);
  if (result.kind === "answer") checks.push(...skewOf(result.response.headers["date"], clock.now()));
  return checks;
}

function judge(result: WireResult, origin: string, took: number): Check[] {
  if (result.kind !== "answer") {
    return [
      bad(
        "service",
        "offline",
        `${origin} cannot be reached: ${failureWords(result.why)}`,
        "check the address and the network; behind a proxy, allow this host",
      ),
    ];
  }
  const { status, body } = result.response;
  const answered = good("service", `${origin} answers in ${took} ms`);
  const code = codeOf(body);
  if (status === 200 && isList(body)) return [answered, good("key", "the service takes it")];
  if (status === 401)
    return [
      answered,
      bad(
        "key",
        "offline",
        "the service refuses it (unauthenticated)",
        "give a valid key: mdmirror init DIR --key-file FILE",
      ),
    ];
  if (status === 404 && code === "workspace_not_found") {
    return [
      answered,
      bad(
        "key",
        "offline",
        "no workspace matches it (workspace_not_found)",
        "give the key of a workspace that is there",
      ),
    ];
  }
  if (status === 503) return [bad("service", "offline", `${origin} is not available now (503)`, "try again later")];
  if (status >= 300 && status < 400) {
    return [
      bad(
        "service",
        "usage",
        `${origin} answers with a redirect (${status}), which is never followed`,
        "give the address it leads to as the URL",
      ),
    ];
  }
  return [
    bad(
      "service",
      "usage",
      `what answers at ${origin} is not the service (status ${status})`,
      "check the URL, with its path prefix if it has one",
    ),
  ];
}

function isList(body: string): boolean {
  return /"object"\s*:\s*"list"/.test(body);
}

function codeOf(body: string): string | null {
  return /"code"\s*:\s*"([a-z_]{1,64})"/.exec(body)?.[1] ?? null;
}

export function skewOf(date: string | undefined, now: number): Check[] {
  const there = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(there)) return [];
  const skew = now - there;
  if (Math.abs(skew) <= SKEW_MS + HEADER_MS) return [good("clock", "this computer and the service agree on the time")];
  const which = skew > 0 ? "ahead of" : "behind";
  return [
    warn(
      "clock",
      `this computer is ${ageText(Math.abs(skew))} ${which} the service`,
      "set the clock (NTP); no text is decided by it, dates in logs and of the trash are",
    ),
  ];
}
