/**
 * Messages between commands and a running daemon: one JSON object on each line, never with content
 * or the key. A connection has one request. A command that writes borrows the folder (`lend`) and
 * works as if no daemon ran.
 */

import type { Socket } from "node:net";
import { parseObject } from "../../../contract/json.ts";
import type { EventStreamState } from "../../ports/events.ts";
import type { ExchangeEnd } from "../../remote/tally.ts";
import type { Result } from "../../../common/trouble.ts";
import type { WAIT } from "../../operations/declared/wait.ts";
import type { Answer } from "../../operations/define.ts";

/**
 * Version of the protocol. A request with a new field needs a new version, so that an older daemon
 * cannot ignore the field and report success.
 */
export const PROTOCOL_VERSION = 4;
/** LIMIT: characters of one line. A request or an answer may contain some thousand paths. */
export const MAX_REQUEST = 256 * 1024;
export const MAX_ANSWER = 4 * 1024 * 1024;

export type ControlRequest =
  | { readonly do: "status" }
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
   * Last time at which a listing showed both sides equal and no problem was open, in milliseconds
   * since the epoch; null if there was none since the start.
   */
  readonly inSyncAsOf: number | null;
  /** Milliseconds since the daemon's loop last made progress. */
  readonly stillMs: number;
  /** Requests to the service since the start, by result; undefined if the daemon is silent. */
  readonly requests?: Readonly<Partial<Record<ExchangeEnd, number>>>;
  /** Current transfers; null if there are none; undefined if the daemon is silent. */
  readonly traffic?: CurrentTraffic | null;
  /** State of the event stream; undefined if the folder is closed or the daemon is silent. */
  readonly eventStream?: EventStreamState;
};

export type CurrentTraffic = {
  /** Completed effects of this cycle, of `total`. */
  readonly done: number;
  readonly total: number;
  /**
   * The first of the active effects. `kind`: kind of an action, which a newer daemon may have
   * added.
   */
  readonly under: readonly { readonly kind: string; readonly path: string }[];
  /** Number of active effects that `under` leaves out. */
  readonly more: number;
};

type Envelope = { readonly root: string; readonly request: ControlRequest };

/**
 * One line of an answer: the result, or `beat`, a sign of life. `other-root`: the daemon serves
 * another folder, so the caller has no daemon.
 */
export type Reply = Result<unknown> | { readonly kind: "beat" } | { readonly kind: "other-root" };

/**
 * Reads a request. Returns a string that describes the fault, if the line is not a request. Only
 * this user can connect, and the version is the same, so the fields need no check.
 */
export function readRequest(line: string): Envelope | string {
  const json = parseObject(line);
  if (json === null) return "a request is one JSON object on one line";
  const { protocol, root, ...request } = json;
  if (protocol !== PROTOCOL_VERSION) return `protocol ${PROTOCOL_VERSION} is expected`;
  if (!REQUESTS.has(request["do"])) return "the request is not known";
  return { root: String(root), request: request as ControlRequest };
}

const REQUESTS: ReadonlySet<unknown> = new Set<ControlRequest["do"]>(["status", "wait", "pause", "resume", "lend"]);

// Each version of mdmirror calls the two results "done" and "refused" on the socket. So a command
// and a daemon of different versions can still tell each other what to do.
const LINE_KINDS = { ok: "done", trouble: "refused", beat: "beat", "other-root": "other-root" } as const;
const REPLY_KINDS = new Map<unknown, Reply["kind"]>(
  Object.entries(LINE_KINDS).map(([reply, line]) => [line, reply as Reply["kind"]]),
);

export function replyLine(reply: Reply): string {
  return `${JSON.stringify({ ...reply, kind: LINE_KINDS[reply.kind] })}\n`;
}

/**
 * Reads a line of an answer. Returns null if the line is not a reply: the other process is then not
 * a daemon of mdmirror.
 */
export function readReply(line: string): Reply | null {
  const json = parseObject(line);
  const kind = REPLY_KINDS.get(json?.["kind"]);
  return kind === undefined ? null : ({ ...json, kind } as Reply);
}

/**
 * Reads a socket line by line, until a line is too long: a line without an end must not fill the
 * memory.
 */
export function readLines(
  socket: Socket,
  maxLength: number,
  { onLine, onTooLong }: { readonly onLine: (line: string) => void; readonly onTooLong: () => void },
): void {
  let partialLine = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (partialLine + chunk).split("\n");
    partialLine = lines.pop()!;
    lines.forEach(onLine);
    if (partialLine.length <= maxLength) return;
    socket.removeAllListeners("data");
    onTooLong();
  });
}
