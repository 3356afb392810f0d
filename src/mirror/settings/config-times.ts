import { isJsonObject } from "../../contract/json.ts";
import { parseAge } from "../../common/age.ts";

/** Members of the configuration that are times or rates. */

/**
 * `listen`: whether the daemon listens to the service's events. `pollEvery`: how often it polls
 * meanwhile, to prove that nothing was missed.
 */
type EventTimes = { readonly listen: boolean; readonly pollEvery: string };

/** `requestsPerMinute`: budget of the daemon for scans of the service and its other requests. */
type Polling = { readonly requestsPerMinute: number };

/**
 * Files that the service's version does not replace yet. `quiet`: a file that changed within this
 * time; `open`: a file that an editor has open, for at most this time. `0s` replaces it at any
 * time.
 */
type HandsOffTimes = { readonly quiet: string; readonly open: string };

export const USUAL_EVENTS: EventTimes = { listen: true, pollEvery: "60s" };
export const USUAL_POLLING: Polling = { requestsPerMinute: 60 };
export const DEFAULT_EDITOR_WAIT: HandsOffTimes = { quiet: "2s", open: "10m" };

/** Receives the fault of a member. */
export type OnFault = (member: string, why: string) => void;

/** LIMIT: polled less often, a change without an event would wait too long. */
const POLL_EVERY_MS = { least: 1_000, most: 3_600_000 } as const;

export function readEvents(value: unknown, fault: OnFault): EventTimes {
  const usual = USUAL_EVENTS;
  if (value === undefined) return usual;
  if (!isJsonObject(value)) {
    fault("events", "must be an object");
    return usual;
  }
  for (const name of Object.keys(value))
    if (!Object.hasOwn(usual, name)) fault(`events.${name}`, "is not a known option");
  const listen = value["listen"] ?? usual.listen;
  if (typeof listen !== "boolean") fault("events.listen", "must be true or false");
  const pollEvery = value["pollEvery"] ?? usual.pollEvery;
  const ms = isLengthOfTime(pollEvery) ? timeMs(pollEvery) : 0;
  const isFit = ms >= POLL_EVERY_MS.least && ms <= POLL_EVERY_MS.most;
  if (!isFit) fault("events.pollEvery", "must be a time from 1s to 1h");
  return { listen: listen === true, pollEvery: isFit ? (pollEvery as string) : usual.pollEvery };
}

/**
 * LIMIT: with fewer requests a large workspace would not be scanned within a day; more are no
 * polling.
 */
const REQUESTS_PER_MINUTE = { least: 1, most: 6_000 } as const;

export function readPolling(value: unknown, fault: OnFault): Polling {
  const usual = USUAL_POLLING;
  if (value === undefined) return usual;
  if (!isJsonObject(value)) {
    fault("polling", "must be an object");
    return usual;
  }
  const extra = Object.keys(value).find((name) => !Object.hasOwn(usual, name));
  if (extra !== undefined) fault(`polling.${extra}`, "is not a known option");
  const wanted = value["requestsPerMinute"] ?? usual.requestsPerMinute;
  const { least, most } = REQUESTS_PER_MINUTE;
  if (typeof wanted === "number" && Number.isInteger(wanted) && wanted >= least && wanted <= most)
    return { requestsPerMinute: wanted };
  fault("polling.requestsPerMinute", `must be a whole number from ${least} to ${most}`);
  return usual;
}

/** LIMIT: longer waits would look like a failure. */
const HANDS_OFF_MOST = { quiet: "60s", open: "24h" } as const;

export function readEditorWait(value: unknown, fault: OnFault): HandsOffTimes {
  const usual = DEFAULT_EDITOR_WAIT;
  if (value === undefined) return usual;
  if (!isJsonObject(value)) {
    fault("handsOff", "must be an object");
    return usual;
  }
  const extra = Object.keys(value).find((name) => !Object.hasOwn(usual, name));
  if (extra !== undefined) fault(`handsOff.${extra}`, "is not a known option");
  const timeOf = (name: "quiet" | "open"): string => {
    const time = value[name] ?? usual[name];
    if (isLengthOfTime(time) && timeMs(time) <= timeMs(HANDS_OFF_MOST[name])) return time;
    fault(`handsOff.${name}`, `must be a time from 0s to ${HANDS_OFF_MOST[name]}`);
    return usual[name];
  };
  return { quiet: timeOf("quiet"), open: timeOf("open") };
}

/** Returns milliseconds of a checked length of time. */
export function timeMs(text: string): number {
  return parseAge(text) ?? 0;
}

export function isLengthOfTime(value: unknown): value is string {
  return typeof value === "string" && parseAge(value) !== null;
}
