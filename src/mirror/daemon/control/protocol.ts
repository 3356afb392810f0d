import { hasMembers, isJsonObject } from "../../../contract/json.ts";
import type { RunReport } from "../../engine/run/report.ts";
import type { EventStreamState } from "../../ports/events.ts";
import type { ExchangeEnd } from "../../remote/tally.ts";
import type { Trouble } from "../../../common/trouble.ts";
import type { WAIT } from "../../operations/declared/wait.ts";
import type { Answer } from "../../operations/define.ts";

/**
 * Messages between commands and a running daemon: one JSON object on each line, never with content
 * or the key. A connection has one request. `sync` is answered with a report. A command that writes
 * borrows the folder (`lend`) and works as if no daemon ran.
 */

/**
 * Version of the protocol. A request with a new field needs a new version, so that an older daemon
 * cannot ignore the field and report success.
 */
export const PROTOCOL_VERSION = 3;
/**
 * LIMIT: bytes of one line. A request may contain some thousand paths; an answer has a report,
 * which is cut to `MOST_ROWS`.
 */
export const MAX_REQUEST = 256 * 1024;
export const MAX_ANSWER = 4 * 1024 * 1024;
const MOST_ROWS = 1_000;

export type ControlRequest =
  | { readonly do: "status" }
  /** Runs until no change is left; also while paused, because a user requested it. */
  | { readonly do: "sync" }
  /**
   * Answered when the present local content is on the service, in review or blocked, or when the
   * time is over. `paths`: below the root; "" means everything.
   */
  | { readonly do: "wait"; readonly paths: readonly string[]; readonly timeoutMs: number }
  /** `forMs`: length of the pause in milliseconds; undefined: until `resume`. */
  | { readonly do: "pause"; readonly forMs?: number }
  | { readonly do: "resume" }
  /**
   * The daemon ends its cycle and has nothing of the folder open until this connection ends, so
   * that the folder can also be moved or unlinked. Afterwards the daemon opens or follows the
   * folder, or stops watching it. `what`: the command.
   */
  | { readonly do: "lend"; readonly what: string };

export type ControlAnswers = {
  readonly status: DaemonStatus;
  readonly sync: { readonly report: RunReport };
  readonly wait: Answer<typeof WAIT>;
  readonly pause: { readonly changed: boolean };
  readonly resume: { readonly changed: boolean };
  readonly lend: { readonly lent: true };
};

export type DaemonStatus = {
  readonly pid: number;
  /** Start of the daemon, in milliseconds since the epoch. */
  readonly since: number;
  /**
   * Phase of the daemon's loop: one of the engine, `lent`, `opening` or `closed`; `silent` if the
   * daemon did not answer in time.
   */
  readonly phase: string;
  readonly detail: string;
  readonly paused: boolean;
  /**
   * End of the pause, in milliseconds since the epoch; undefined: not paused, or paused until
   * `resume`.
   */
  readonly pausedUntil?: number;
  /**
   * Last time at which both sides were equal apart from blocks, in milliseconds since the epoch;
   * null if not since the start.
   */
  readonly inSyncAsOf: number | null;
  /** Milliseconds since the daemon's loop last made progress. */
  readonly stillMs: number;
  /** Requests to the service since the start, by result; undefined from an older daemon. */
  readonly requests?: Readonly<Partial<Record<ExchangeEnd, number>>>;
  /** Current transfers; null if there are none; undefined from an older daemon. */
  readonly traffic?: CurrentTraffic | null;
  /** State of the event stream; undefined from an older daemon. */
  readonly eventStream?: EventStreamState;
};

export type CurrentTraffic = {
  /** Completed effects of this cycle, of `total`. */
  readonly done: number;
  readonly total: number;
  /** The first of the active effects. `kind`: kind of an action, possibly of a later version. */
  readonly under: readonly { readonly kind: string; readonly path: string }[];
  /** Number of further active effects. */
  readonly more: number;
};

type Envelope = { readonly root: string; readonly request: ControlRequest };

/** Changes that the daemon delays. */
export type DelayedChanges = {
  /** Number of local deletions that still wait before they are sent. */
  readonly deletions: number;
};

/** One line of an answer. `beat`: a sign of life. */
export type Reply =
  | { readonly kind: "beat"; readonly delayed?: DelayedChanges }
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "refused"; readonly trouble: Trouble }
  /** The daemon serves another folder, so the caller has no daemon. */
  | { readonly kind: "other-root" };

export function requestLine({ root, request }: Envelope): string {
  return `${JSON.stringify({ protocol: PROTOCOL_VERSION, root, ...request })}\n`;
}

/** Reads a request. Returns a string that describes the fault, if the line is not a request. */
export function readRequest(line: string): Envelope | string {
  const json = parseObject(line);
  if (json === null) return "a request is one JSON object on one line";
  const { protocol, root, do: verb } = json;
  if (protocol !== PROTOCOL_VERSION) return `protocol ${PROTOCOL_VERSION} is expected`;
  if (typeof root !== "string") return '"root" must name the folder';
  const request = typeof verb === "string" && Object.hasOwn(READERS, verb) ? READERS[verb]!(json) : null;
  return request === null ? "the request is not known" : { root, request };
}

type ReadRequest = (json: Readonly<Record<string, unknown>>) => ControlRequest | null;

const READERS: Readonly<Record<string, ReadRequest>> = {
  status: () => ({ do: "status" }),
  sync: () => ({ do: "sync" }),
  resume: () => ({ do: "resume" }),
  pause: ({ forMs }) => {
    if (forMs === undefined) return { do: "pause" };
    return typeof forMs === "number" && forMs > 0 ? { do: "pause", forMs } : null;
  },
  wait: ({ paths, timeoutMs }) =>
    isStrings(paths) && typeof timeoutMs === "number" && timeoutMs >= 0 ? { do: "wait", paths, timeoutMs } : null,
  lend: ({ what }) => (isCommand(what) ? { do: "lend", what } : null),
};

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isCommand(what: unknown): what is string {
  return typeof what === "string" && /^[a-z-]{1,32}$/.test(what);
}

export function replyLine(reply: Reply): string {
  return `${JSON.stringify(reply)}\n`;
}

/**
 * Returns the reply in a line; null if the line is not a reply, so that the other process is not a
 * daemon of mdmirror.
 */
export function readReply(line: string): Reply | null {
  const { kind, value, trouble, delayed } = parseObject(line) ?? {};
  if (kind === "beat")
    return hasMembers<DelayedChanges>(delayed, { deletions: "number" }) ? { kind, delayed } : { kind };
  if (kind === "other-root") return { kind };
  if (kind === "done" && isJsonObject(value)) return { kind, value };
  return kind === "refused" && isTrouble(trouble) ? { kind, trouble } : null;
}

function isTrouble(value: unknown): value is Trouble {
  const kinds: readonly unknown[] = ["usage", "fault", "locked", "offline"];
  return hasMembers(value, { kind: "string", what: "string", next: "string" }) && kinds.includes(value.kind);
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(line);
    return isJsonObject(json) ? json : null;
  } catch {
    // The line is not JSON, which the caller reports.
    return null;
  }
}

/** Shortens the lists of a report so that it fits into one line. */
export function boundReport(report: RunReport): RunReport {
  const { safetyStop } = report;
  const members = Object.entries({ ...report, safetyStop: safetyStop && { ...safetyStop, stoppedSteps: [] } });
  return Object.fromEntries(
    members.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MOST_ROWS) : value]),
  ) as RunReport;
}

/**
 * Splits a stream of bytes into lines of bounded length, so that a line without an end cannot fill
 * the memory.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #parts: Buffer[] = [];
  #bufferedBytes = 0;
  #isOver = false;

  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** Returns false for a line longer than `maxBytes`; no later byte is read. */
  push(chunk: Buffer): boolean {
    let from = 0;
    while (!this.#isOver && from < chunk.length) {
      const end = chunk.indexOf(0x0a, from);
      this.#buffer(chunk.subarray(from, end === -1 ? chunk.length : end));
      if (end === -1) break;
      if (!this.#isOver) this.#onLine(this.#takeLine());
      from = end + 1;
    }
    return !this.#isOver;
  }

  #buffer(part: Buffer): void {
    this.#bufferedBytes += part.length;
    this.#isOver = this.#bufferedBytes > this.#maxBytes;
    if (this.#isOver) this.#parts = [];
    else this.#parts.push(part);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#parts).toString("utf8");
    this.#parts = [];
    this.#bufferedBytes = 0;
    return line;
  }
}
