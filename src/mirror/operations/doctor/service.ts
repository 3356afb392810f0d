import { FILES, VALIDATE_KEY } from "../../../contract/routes.ts";
import type { WireResponse } from "../../../contract/wire.ts";
import type { Wire, WireResult } from "../../../common/wire.ts";
import type { Clock } from "../../../common/clock.ts";
import { ageText } from "../../../common/age.ts";
import { GIVE_VALID_KEY } from "../../folder/fault-trouble.ts";
import { bad, type Check, good, warn } from "./check.ts";
import { failureWords } from "../../../common/failure-words.ts";
import type { Route } from "../../remote/proxy.ts";

/**
 * LIMIT: a larger clock error makes dates of folders, retention and `Retry-After` wrong, but no
 * decision about content (I29).
 */
const SKEW_MS = 60_000;
/** Precision of a `Date` header in milliseconds: the header counts whole seconds. */
const HEADER_MS = 1_000;

const BOUNDS = { deadlineMs: 15_000, maxBytes: 1024 * 1024 } as const;

/**
 * Checks with two requests whether the service answers, accepts the key, and has the same time.
 * Without a route to validate keys, the list of documents shows whether the key is valid.
 */
export async function checkService(
  wire: Wire,
  key: string,
  { origin, route }: ServiceAddress,
  clock: Clock,
): Promise<Check[]> {
  const began = clock.monotonic();
  const headers = { authorization: `Bearer ${key}`, accept: "application/json, application/problem+json" };
  const result = await wire.send({ method: "GET", path: `${FILES}?limit=1`, headers, body: null }, BOUNDS);
  const took = Math.round(clock.monotonic() - began);
  if (result.kind !== "answer") return [unreachable(result, origin)];
  const skew = skewOf(result.response.headers["date"], clock.now());
  const listed = tellsOfKey(result.response);
  if (listed === null) return [notTheService(result.response.status, origin), ...skew];
  const answered =
    listed === "unavailable"
      ? bad("service", "offline", `${origin} is not available now (503)`, "try again later")
      : good("service", `${origin} answers in ${took} ms${routeText(route)}`);
  const asked = { method: "POST", path: VALIDATE_KEY, headers: { ...headers, ...JSON_BODY }, body: "{}" } as const;
  const validity = validityOf(await wire.send(asked, BOUNDS));
  return [answered, ...keyChecks(listed, validity), ...skew];
}

export type ServiceAddress = { readonly origin: string; readonly route: Route };

function routeText(route: Route): string {
  return route.kind === "proxy" ? `, by the proxy ${route.origin} (${route.variable})` : "";
}

const JSON_BODY = { "content-type": "application/json" } as const;

/** Result of a list; null if the answer did not come from the service. */
type Listed = "taken" | "refused" | "no-workspace" | "unavailable";
type Validity = "good" | "refused" | "no-such-route" | "no-answer";

function tellsOfKey({ status, body }: WireResponse): Listed | null {
  if (status === 200 && isList(body)) return "taken";
  if (status === 401) return "refused";
  if (status === 404 && codeOf(body) === "workspace_not_found") return "no-workspace";
  return status === 503 ? "unavailable" : null;
}

function validityOf(result: WireResult): Validity {
  if (result.kind !== "answer") return "no-answer";
  const { status } = result.response;
  if (status === 200 || status === 204) return "good";
  if (status === 401) return "refused";
  return status === 404 || status === 405 || status === 501 ? "no-such-route" : "no-answer";
}

/** The service's answer about the key, worded to go with the result of its list. */
const VALIDITY_WORDS: Readonly<Record<Validity, string>> = {
  good: `, and confirms it (${VALIDATE_KEY})`,
  refused: `, although ${VALIDATE_KEY} refuses it`,
  "no-such-route": ` (the service has no ${VALIDATE_KEY}; the list of documents shows it)`,
  "no-answer": ` (${VALIDATE_KEY} does not answer; the list of documents shows it)`,
};

function keyChecks(listed: Listed, validity: Validity): Check[] {
  if (listed === "taken") return [good("key", `the service accepts it${VALIDITY_WORDS[validity]}`)];
  if (listed === "refused") {
    const detail = validity === "good" ? `, although ${VALIDATE_KEY} accepts it: it may have no grants` : "";
    return badKey(`the service refuses it (unauthenticated)${detail}`, GIVE_VALID_KEY);
  }
  if (listed === "no-workspace") {
    const detail = validity === "good" ? `: the key itself is valid (${VALIDATE_KEY})` : "";
    const what = `it gives access to no workspace (workspace_not_found)${detail}`;
    return badKey(what, "give the key of a workspace that exists");
  }
  // A service whose workspace is closed can still tell a valid key from a wrong one.
  if (validity === "good") return [good("key", `the service accepts it (${VALIDATE_KEY})`)];
  return validity === "refused" ? badKey(`the service refuses it (${VALIDATE_KEY})`, GIVE_VALID_KEY) : [];
}

function badKey(what: string, next: string): Check[] {
  return [bad("key", "offline", what, next)];
}

function unreachable({ why }: Exclude<WireResult, { kind: "answer" }>, origin: string): Check {
  return bad(
    "service",
    "offline",
    `${origin} cannot be reached: ${failureWords(why)}`,
    "check the address, the network and the proxy (HTTPS_PROXY, NO_PROXY)",
  );
}

function notTheService(status: number, origin: string): Check {
  if (status >= 300 && status < 400) {
    return bad(
      "service",
      "usage",
      `${origin} answers with a redirect (${status}), which is never followed`,
      "give the target of the redirect as the URL",
    );
  }
  return bad(
    "service",
    "usage",
    `what answers at ${origin} is not the service (status ${status})`,
    "check the URL, with its path prefix if it has one",
  );
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
      "set the clock (NTP): dates in logs and in the trash depend on it; no decision does",
    ),
  ];
}
