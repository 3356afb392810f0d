import { FILES } from "../../../contract/routes.ts";
import type { Wire, WireResult } from "../../../common/wire.ts";
import type { Clock } from "../../../common/clock.ts";
import { formatAge } from "../../../common/age.ts";
import { GIVE_VALID_KEY } from "../../folder/fault-trouble.ts";
import { makeBad, type DoctorCheck, makeGood, makeWarning } from "./check.ts";
import { describeFailure } from "../../../common/failure-words.ts";
import type { ServiceRoute } from "../../remote/address.ts";

/**
 * LIMIT: milliseconds by which the local clock may differ from the service's. A larger difference
 * makes folder dates, the retention of history and the waits after `Retry-After` wrong. It never
 * affects a decision about content (I29).
 */
const MAX_SKEW_MS = 60_000;
/** Milliseconds by which a `Date` header may be too early, because it has whole seconds. */
const HEADER_MS = 1_000;

const REQUEST_BOUNDS = { deadlineMs: 15_000, maxBytes: 1024 * 1024 } as const;

/** Checks with one request that the service answers, accepts the key, and has the same time. */
export async function checkService(
  wire: Wire,
  key: string,
  { origin, route }: ServiceAddress,
  clock: Clock,
): Promise<DoctorCheck[]> {
  const beganAt = clock.monotonic();
  const headers = { authorization: `Bearer ${key}`, accept: "application/json, application/problem+json" };
  const wireResult = await wire.send({ method: "GET", path: `${FILES}?limit=1`, headers, body: null }, REQUEST_BOUNDS);
  const durationMs = Math.round(clock.monotonic() - beganAt);
  if (wireResult.kind !== "answer") return [reportUnreachable(wireResult, origin)];
  const { status, body, headers: received } = wireResult.response;
  const answeredCheck = makeGood("service", `${origin} answers in ${durationMs} ms${describeRoute(route)}`);
  const skewChecks = checkClock(received["date"], clock.now());
  if (status === 200 && isDocumentList(body))
    return [answeredCheck, makeGood("key", "the service accepts it"), ...skewChecks];
  if (status === 401)
    return [answeredCheck, rejectKey("the service refuses it (unauthenticated)", GIVE_VALID_KEY), ...skewChecks];
  if (status === 404 && readErrorCode(body) === "workspace_not_found") {
    const nextStep = "give the key of a workspace that exists";
    return [answeredCheck, rejectKey("it gives access to no workspace (workspace_not_found)", nextStep), ...skewChecks];
  }
  if (status !== 503) return [reportForeignAnswer(status, origin), ...skewChecks];
  return [makeBad("service", "offline", `${origin} is not available now (503)`, "try again later"), ...skewChecks];
}

export type ServiceAddress = { readonly origin: string; readonly route: ServiceRoute };

function describeRoute(route: ServiceRoute): string {
  return route.kind === "proxy" ? `, by the proxy ${route.origin} (${route.variable})` : "";
}

function rejectKey(what: string, next: string): DoctorCheck {
  return makeBad("key", "offline", what, next);
}

function reportUnreachable({ why }: Exclude<WireResult, { kind: "answer" }>, origin: string): DoctorCheck {
  return makeBad(
    "service",
    "offline",
    `${origin} cannot be reached: ${describeFailure(why)}`,
    "check the address, the network and the proxy (HTTPS_PROXY, NO_PROXY)",
  );
}

function reportForeignAnswer(status: number, origin: string): DoctorCheck {
  if (status >= 300 && status < 400) {
    return makeBad(
      "service",
      "usage",
      `${origin} answers with a redirect (${status}), which is never followed`,
      "give the target of the redirect as the URL",
    );
  }
  return makeBad(
    "service",
    "usage",
    `what answers at ${origin} is not the service (status ${status})`,
    "check the URL, with its path prefix if it has one",
  );
}

function isDocumentList(body: string): boolean {
  return /"object"\s*:\s*"list"/.test(body);
}

function readErrorCode(body: string): string | null {
  return /"code"\s*:\s*"([a-z_]{1,64})"/.exec(body)?.[1] ?? null;
}

export function checkClock(date: string | undefined, now: number): DoctorCheck[] {
  const serviceTime = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(serviceTime)) return [];
  const skew = now - serviceTime;
  if (Math.abs(skew) <= MAX_SKEW_MS + HEADER_MS)
    return [makeGood("clock", "this computer and the service agree on the time")];
  const aheadOrBehind = skew > 0 ? "ahead of" : "behind";
  return [
    makeWarning(
      "clock",
      `this computer is ${formatAge(Math.abs(skew))} ${aheadOrBehind} the service`,
      "set the clock (NTP): dates in logs and in the trash depend on it; no decision does",
    ),
  ];
}
