/**
 * Messages between commands and a running daemon. Each message is one line with a JSON object, and
 * has neither content nor the key. A connection has one request. A command that writes borrows the
 * folder (`lend`), and then works as if no daemon ran.
 */

import type { Socket } from "node:net";
import { parseObject } from "../../../contract/json.ts";
import type { EventStreamState } from "../../ports/remote.ts";
import type { ExchangeEnd } from "../../remote/tally.ts";
import type { Result } from "../../../common/trouble.ts";
import type { WAIT } from "../../operations/declared/reads.ts";
import type { Answer } from "../../operations/define.ts";

/**
 * Version of the protocol. Each new field needs a new version, because an older daemon would ignore
 * the field.
 */
export const PROTOCOL_VERSION = 4;
/**
 * LIMIT: number of characters of one request or answer, so that memory stays bounded. Messages with
 * some thousand paths are shorter.
 */
export const MAX_REQUEST = 256 * 1024;
export const MAX_ANSWER = 4 * 1024 * 1024;

export type ControlRequest =
  | { readonly do: "status" }
  /**
   * Asks the daemon to answer when the current content of the paths is on the service, in review or
   * blocked. After the time limit, the daemon answers in any case. Paths are below the root; "" is
   * the whole folder.
   */
  | { readonly do: "wait"; readonly paths: readonly string[]; readonly timeoutMs: number }
  /** `forMs`: length of the pause in milliseconds; undefined for a pause until `resume`. */
  | { readonly do: "pause"; readonly forMs?: number }
  | { readonly do: "resume" }
  /**
   * Asks the daemon to lend the folder to the command `what`. The daemon ends its cycle, and keeps
   * nothing in the folder open until this connection ends. So the command may also move or unlink
   * the folder. Afterwards, the daemon opens the folder at its current path, or stops syncing an
   * unlinked folder.
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
   * Phase of the daemon's loop. If the loop does not run: `lent`, `opening` or `closed`. If the
   * daemon does not answer: `silent`.
   */
  readonly phase: string;
  readonly detail: string;
  readonly paused: boolean;
  /**
   * End of the pause in milliseconds since the epoch; undefined without a pause, or for a pause
   * without an end.
   */
  readonly pausedUntil?: number;
  /**
   * Time of the last proof that both sides were equal and no problem was open, in milliseconds
   * since the epoch. Null if there was no such proof since the daemon's start.
   */
  readonly inSyncAsOf: number | null;
  /** Milliseconds since the last progress of the engine's loop. */
  readonly stillMs: number;
  /** Numbers of requests of this daemon, by result; undefined if the phase is `silent`. */
  readonly requests?: Readonly<Partial<Record<ExchangeEnd, number>>>;
  /** Active effects of the cycle; null if there are none; undefined if the phase is `silent`. */
  readonly traffic?: CurrentTraffic | null;
  /** State of the event stream; undefined if the phase is `lent`, `closed` or `silent`. */
  readonly eventStream?: EventStreamState;
};

export type CurrentTraffic = {
  /** Number of complete effects of the cycle. `total` is the number of all effects of the cycle. */
  readonly done: number;
  readonly total: number;
  /**
   * Effects that run now; at most 12. A newer daemon may send kinds of effects that this version of
   * mdmirror does not know.
   */
  readonly under: readonly { readonly kind: string; readonly path: string }[];
  readonly more: number;
};

type RequestEnvelope = { readonly root: string; readonly request: ControlRequest };

/** `beat`: a sign of life. `other-root`: the daemon serves a folder other than the command's. */
export type ControlReply = Result<unknown> | { readonly kind: "beat" } | { readonly kind: "other-root" };

/**
 * Returns the request in a line. If the line has no request, returns a string about the fault. Does
 * not check the fields, because only this user can connect, and both processes have the same
 * version of the protocol.
 */
export function readRequest(line: string): RequestEnvelope | string {
  const json = parseObject(line);
  if (json === null) return "a request is one JSON object on one line";
  const { protocol, root, ...request } = json;
  if (protocol !== PROTOCOL_VERSION) return `protocol ${PROTOCOL_VERSION} is expected`;
  if (!REQUESTS.has(request["do"])) return "the request is not known";
  return { root: String(root), request: request as ControlRequest };
}

const REQUESTS: ReadonlySet<unknown> = new Set<ControlRequest["do"]>(["status", "wait", "pause", "resume", "lend"]);

// Words that never change, so that commands and daemons of all versions understand the answers.
const LINE_KINDS = { ok: "done", trouble: "refused", beat: "beat", "other-root": "other-root" } as const;
const REPLY_KINDS = new Map<unknown, ControlReply["kind"]>(
  Object.entries(LINE_KINDS).map(([reply, line]) => [line, reply as ControlReply["kind"]]),
);

export function formatReply(reply: ControlReply): string {
  return `${JSON.stringify({ ...reply, kind: LINE_KINDS[reply.kind] })}\n`;
}

/** Returns null if the line is no answer of a daemon. Another program then sent the line. */
export function readReply(line: string): ControlReply | null {
  const json = parseObject(line);
  const kind = REPLY_KINDS.get(json?.["kind"]);
  return kind === undefined ? null : ({ ...json, kind } as ControlReply);
}

/** Reads a socket line by line. Stops at a line that is longer than the limit. */
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
