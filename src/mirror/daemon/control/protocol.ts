import { isJsonObject } from "../../../contract/json.ts";
import type { RunReport } from "../../engine/run/report.ts";
import type { EventStreamState } from "../../ports/events.ts";
import type { ExchangeEnd } from "../../remote/tally.ts";
import type { Trouble } from "../../../common/trouble.ts";
import type { WaitResult } from "./waited.ts";

/**
 * Messages between commands and a running daemon: one JSON object on each line, never with content
 * or the key. `sync` is answered with a report. A command that writes borrows the folder (`lend`)
 * and works as if no daemon ran.
 */

export const PROTOCOL_VERSION = 1;
/**
 * LIMIT: bytes of one line. A request may name some thousand paths; an answer has a report, which
 * is cut to `MOST_ROWS`.
 */
export const MAX_REQUEST = 256 * 1024;
export const MAX_ANSWER = 4 * 1024 * 1024;
const MOST_ROWS = 1_000;

export type ControlRequest =
  | { readonly do: "status" }
  /** Runs until nothing is left to do; also while paused, because somebody asked for it. */
  | { readonly do: "sync" }
  /**
   * Answered when the present local content is on the service, in review or blocked, or when the
   * time is over. `paths`: below the root; "" means everything.
   */
  | { readonly do: "wait"; readonly paths: readonly string[]; readonly timeoutMs: number }
  /** `forMs`: length in milliseconds; left out: until `resume`. */
  | { readonly do: "pause"; readonly forMs?: number }
  | { readonly do: "resume" }
  /**
   * The daemon ends its cycle, closes the folder and frees its lock until this connection ends.
   * `what`: the command.
   */
  | { readonly do: "lend"; readonly what: string }
  /**
   * Works as `lend`, and the daemon has nothing of the folder open meanwhile, so that it can be
   * moved or unlinked. Afterwards the daemon follows the folder or stops watching it.
   */
  | { readonly do: "leave"; readonly what: string };

export type ControlAnswers = {
  readonly status: DaemonStatus;
  readonly sync: { readonly report: RunReport };
  readonly wait: WaitResult;
  readonly pause: { readonly changed: boolean };
  readonly resume: { readonly changed: boolean };
  readonly lend: { readonly lent: true };
  readonly leave: { readonly left: true };
};

export type DaemonStatus = {
  readonly pid: number;
  /** Start of the daemon, in milliseconds since the epoch. */
  readonly since: number;
  /**
   * Phase of its loop: one of the engine, `lent`, `opening` or `closed`; `silent` if it did not
   * answer in time.
   */
  readonly phase: string;
  readonly detail: string;
  readonly paused: boolean;
  /** End of the pause, in milliseconds since the epoch; left out: not paused, or without an end. */
  readonly pausedUntil?: number;
  /**
   * Last time both sides were seen equal apart from blocks, in milliseconds since the epoch; null
   * if not since the start.
   */
  readonly inSyncAsOf: number | null;
  /** Milliseconds since its loop last made progress. */
  readonly stillMs: number;
  /** Requests to the service since the start, by result; absent from an older daemon. */
  readonly requests?: Readonly<Partial<Record<ExchangeEnd, number>>>;
  /** Present transfers; null if there are none; absent from an older daemon. */
  readonly traffic?: CurrentTraffic | null;
  /** State of the event stream; absent from an older daemon. */
  readonly news?: EventStreamState;
};

export type CurrentTraffic = {
  /** Completed effects of this cycle, of `total`. */
  readonly done: number;
  readonly total: number;
  /** The first of the active effects; `kind`: of an action, also of a later version. */
  readonly under: readonly { readonly kind: string; readonly path: string }[];
  /** Number of further active effects. */
  readonly more: number;
};

type Envelope = { readonly id: number; readonly root: string; readonly request: ControlRequest };

/** Changes that the daemon delays. */
export type DelayedChanges = {
  /** Number of deletions in their grace period. */
  readonly deletions: number;
};

/** One line of an answer. `beat`: a sign of life. */
export type Reply =
  | { readonly id: number; readonly kind: "beat"; readonly heldBack?: DelayedChanges }
  | { readonly id: number; readonly kind: "done"; readonly value: unknown }
  | { readonly id: number; readonly kind: "refused"; readonly trouble: Trouble }
  /** The daemon serves another folder: for the caller there is none. */
  | { readonly id: number; readonly kind: "other-root" };

export function requestLine({ id, root, request }: Envelope): string {
  return `${JSON.stringify({ protocol: PROTOCOL_VERSION, id, root, ...request })}\n`;
}

type ReadRequest =
  | { readonly kind: "request"; readonly envelope: Envelope }
  | { readonly kind: "bad"; readonly id: number; readonly why: string };

const MEMBERS: Readonly<Record<ControlRequest["do"], readonly string[]>> = {
  status: [],
  sync: [],
  wait: ["paths", "timeoutMs"],
  pause: ["forMs"],
  resume: [],
  lend: ["what"],
  leave: ["what"],
};
const COMMON: readonly string[] = ["protocol", "id"];

/**
 * Reads a request strictly: unknown members are refused, so that an older daemon cannot ignore a
 * part and report success.
 */
export function readRequest(line: string): ReadRequest {
  const json = parseObject(line);
  if (json === null) return { kind: "bad", id: 0, why: "a request is one JSON object on one line" };
  const id = typeof json["id"] === "number" && Number.isSafeInteger(json["id"]) ? json["id"] : 0;
  const read =
    json["protocol"] === PROTOCOL_VERSION ? readEnvelope(id, json) : `protocol ${PROTOCOL_VERSION} is expected`;
  return typeof read === "string" ? { kind: "bad", id, why: read } : { kind: "request", envelope: read };
}

/** Returns a string that says what is wrong. */
function readEnvelope(id: number, { root, do: verb, ...json }: Readonly<Record<string, unknown>>): Envelope | string {
  if (id < 1) return '"id" must be a positive whole number';
  if (typeof root !== "string") return '"root" must name the folder';
  if (typeof verb !== "string" || !isVerb(verb)) return '"do" is not known here';
  const extra = Object.keys(json).find((name) => !COMMON.includes(name) && !MEMBERS[verb].includes(name));
  if (extra !== undefined) return `${JSON.stringify(extra.slice(0, 40))} is no member of "${verb}"`;
  if (verb === "wait") return readWait(id, root, json);
  if (verb === "pause") return readPause(id, root, json);
  if (verb !== "lend" && verb !== "leave") return { id, root, request: { do: verb } };
  const { what } = json;
  if (typeof what !== "string" || !/^[a-z-]{1,32}$/.test(what)) return '"what" must name a command';
  return { id, root, request: { do: verb, what } };
}

function readWait(
  id: number,
  root: string,
  { paths, timeoutMs }: Readonly<Record<string, unknown>>,
): Envelope | string {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === "string"))
    return '"paths" must be a list of paths';
  if (typeof timeoutMs !== "number" || !(timeoutMs >= 0)) return '"timeoutMs" must be a number of milliseconds';
  return { id, root, request: { do: "wait", paths, timeoutMs } };
}

function readPause(id: number, root: string, { forMs }: Readonly<Record<string, unknown>>): Envelope | string {
  if (forMs === undefined) return { id, root, request: { do: "pause" } };
  if (typeof forMs !== "number" || !(forMs > 0)) return '"forMs" must be a positive number of milliseconds';
  return { id, root, request: { do: "pause", forMs } };
}

function isVerb(name: string): name is ControlRequest["do"] {
  return Object.hasOwn(MEMBERS, name);
}

export function replyLine(reply: Reply): string {
  return `${JSON.stringify(reply)}\n`;
}

/** Returns null for a line that is no reply: then it is not a daemon of mdmirror. */
export function readReply(line: string): Reply | null {
  const json = parseObject(line);
  if (json === null || typeof json["id"] !== "number") return null;
  const kind = json["kind"];
  if (kind === "beat")
    return { id: json["id"], kind, ...(isHeldBack(json["heldBack"]) && { heldBack: json["heldBack"] }) };
  if (kind === "other-root") return { id: json["id"], kind };
  if (kind === "done" && isJsonObject(json["value"])) return { id: json["id"], kind, value: json["value"] };
  if (kind === "refused" && isTrouble(json["trouble"])) return { id: json["id"], kind, trouble: json["trouble"] };
  return null;
}

function isHeldBack(value: unknown): value is DelayedChanges {
  return isJsonObject(value) && typeof value["deletions"] === "number";
}

function isTrouble(value: unknown): value is Trouble {
  if (!isJsonObject(value)) return false;
  const kinds: readonly unknown[] = ["usage", "fault", "locked", "offline"];
  return kinds.includes(value["kind"]) && typeof value["what"] === "string" && typeof value["next"] === "string";
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(line);
    return isJsonObject(json) ? json : null;
  } catch {
    // Not JSON: the caller says so.
    return null;
  }
}

/** Shortens the lists of a report to one line's limit. */
export function boundReport(report: RunReport): RunReport {
  const { safetyStop } = report;
  const members = Object.entries({ ...report, safetyStop: safetyStop && { ...safetyStop, stoppedSteps: [] } });
  return Object.fromEntries(
    members.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MOST_ROWS) : value]),
  ) as RunReport;
}
