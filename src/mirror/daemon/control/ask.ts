import { existsSync, realpathSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { formatAge } from "../../../common/quantities.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { type SocketPath, readSocketPath } from "./socket-path.ts";
import {
  type ControlAnswers,
  type ControlRequest,
  type DaemonStatus,
  MAX_ANSWER,
  readReply,
  type ControlReply,
  PROTOCOL_VERSION,
  readLines,
} from "./protocol.ts";

export const NO_DAEMON = "no-daemon";
export const SILENT_CODE = "daemon-silent";

/**
 * Milliseconds without a sign of life after which the daemon counts as silent. A daemon sends a
 * sign of life every few seconds. A long step of the daemon's event loop, for example on a slow
 * disk, may delay a sign of life.
 */
const DEADLINE_MS = 60_000;
const STATUS_DEADLINE_MS = 3_000;

/**
 * Returns the daemon's answer, or `NO_DAEMON` if no daemon runs.
 * @param dir path of a folder that has `.mdmirror/`
 * @param deadlineMs milliseconds without a sign of life after which the request fails
 */
export async function askDaemon<R extends ControlRequest>(
  dir: string,
  request: R,
  deadlineMs = request.do === "status" ? STATUS_DEADLINE_MS : DEADLINE_MS,
): Promise<Result<ControlAnswers[R["do"]]> | typeof NO_DAEMON> {
  const daemonAnswer = await callDaemon(dir, request, deadlineMs);
  if (daemonAnswer === NO_DAEMON || daemonAnswer.kind === "trouble") return daemonAnswer;
  daemonAnswer.value.socket.destroy();
  return ok(daemonAnswer.value.value as ControlAnswers[R["do"]]);
}

/**
 * Returns the daemon's status. If the daemon does not answer in time, the status has the phase
 * `silent`.
 */
export async function askStatus(
  dir: string,
  deadlineMs = STATUS_DEADLINE_MS,
): Promise<Result<DaemonStatus> | typeof NO_DAEMON> {
  const daemonAnswer = await askDaemon(dir, { do: "status" }, deadlineMs);
  if (daemonAnswer === NO_DAEMON || daemonAnswer.kind === "ok" || daemonAnswer.trouble.code !== SILENT_CODE)
    return daemonAnswer;
  const socketPath = readSocketPath(join(resolveRoot(dir), MIRROR_FOLDER));
  if (socketPath === null) return NO_DAEMON;
  const { pid, since } = socketPath;
  const detail = `no answer for ${formatAge(deadlineMs)}`;
  return ok({ pid, since, phase: "silent", detail, paused: false, inSyncAsOf: null, stillMs: deadlineMs });
}

/**
 * Borrows the folder from its daemon, so that this process can take the folder's lock. The loan
 * ends when this process gives the folder back, or exits.
 * @returns `NO_DAEMON` if no daemon runs; otherwise a function that gives the folder back. The
 * daemon then opens and scans the folder. Later calls of the function do nothing
 */
export async function borrowFolder(dir: string, what: string): Promise<Result<() => void> | typeof NO_DAEMON> {
  const daemonAnswer = await callDaemon(dir, { do: "lend", what }, DEADLINE_MS);
  if (daemonAnswer === NO_DAEMON || daemonAnswer.kind === "trouble") return daemonAnswer;
  const { socket } = daemonAnswer.value;
  // The borrower sends nothing more. The folder stays lent as long as the borrower's connection is
  // open.
  socket.setTimeout(0);
  return ok(() => void socket.destroy());
}

type OpenCall = { readonly value: unknown; readonly socket: Socket };

function callDaemon(
  dir: string,
  request: ControlRequest,
  deadlineMs: number,
): Promise<Result<OpenCall> | typeof NO_DAEMON> {
  const root = resolveRoot(dir);
  const place = readSocketPath(join(root, MIRROR_FOLDER));
  if (place === null) return Promise.resolve(NO_DAEMON);
  return new Promise((resolve) => {
    const socket = connect(place.socket);
    const finishCall = (result: Result<OpenCall> | typeof NO_DAEMON) => {
      if (result === NO_DAEMON || result.kind !== "ok") socket.destroy();
      resolve(result);
    };
    let isConnected = false;
    socket.setTimeout(deadlineMs, () => finishCall(reportSilentDaemon(root, place, request, deadlineMs)));
    socket.once("connect", () => {
      isConnected = true;
      socket.write(`${JSON.stringify({ protocol: PROTOCOL_VERSION, root, ...request })}\n`);
    });
    // An error before the connection means that no process listens. The socket's file is then left
    // from a crash, and the folder's lock shows whether a daemon runs.
    socket.on("error", () => finishCall(isConnected ? reportLostConnection(root, request) : NO_DAEMON));
    socket.once("close", () => finishCall(reportLostConnection(root, request)));
    readLines(socket, MAX_ANSWER, {
      onLine(line) {
        const reply = readReply(line);
        if (reply?.kind !== "beat")
          finishCall(reply === null ? reportForeignProcess(place) : readCallEnd(reply, socket));
      },
      onTooLong: () => finishCall(reportForeignProcess(place)),
    });
  });
}

function resolveRoot(dir: string): string {
  return existsSync(dir) ? realpathSync(dir) : dir;
}

function readCallEnd(
  reply: Exclude<ControlReply, { kind: "beat" }>,
  socket: Socket,
): Result<OpenCall> | typeof NO_DAEMON {
  if (reply.kind === "other-root") return NO_DAEMON;
  return reply.kind === "ok" ? ok({ value: reply.value, socket }) : reply;
}

function reportSilentDaemon(
  root: string,
  { pid }: SocketPath,
  request: ControlRequest,
  deadlineMs: number,
): Result<never> {
  return trouble(
    "locked",
    `the daemon of ${root} (process ${pid}) has not answered "${request.do}" for ${formatAge(deadlineMs)}: it may be in a long step`,
    "try again in some minutes; if it still does not answer, restart mdmirror watch (a systemd service does that by itself)",
    { code: SILENT_CODE },
  );
}

function reportLostConnection(root: string, request: ControlRequest): Result<never> {
  return trouble(
    "fault",
    `the daemon of ${root} ended before it answered "${request.do}"`,
    "run the command again: without a daemon it does the work itself",
    { code: "daemon-ended" },
  );
}

function reportForeignProcess({ socket }: SocketPath): Result<never> {
  return trouble("fault", `the process that listens at ${socket} is not mdmirror`, "remove .mdmirror/daemon.json", {
    code: "not-a-daemon",
  });
}
